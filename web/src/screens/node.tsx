export default function Node() {
  return (
    <main>
      <h1>Node</h1>
    </main>
  );
}
