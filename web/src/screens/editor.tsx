export default function Editor() {
  return (
    <main>
      <h1>Editor</h1>
    </main>
  );
}
