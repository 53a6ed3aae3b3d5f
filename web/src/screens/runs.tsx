export default function Runs() {
  return (
    <main>
      <h1>Runs</h1>
    </main>
  );
}
