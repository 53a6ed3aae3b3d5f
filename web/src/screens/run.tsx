export default function Run() {
  return (
    <main>
      <h1>Run</h1>
    </main>
  );
}
