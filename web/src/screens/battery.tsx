export default function Battery() {
  return (
    <main>
      <h1>Battery</h1>
    </main>
  );
}
