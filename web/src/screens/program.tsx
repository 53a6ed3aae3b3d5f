export default function Program() {
  return (
    <main>
      <h1>Program</h1>
    </main>
  );
}
