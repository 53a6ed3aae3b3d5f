export default function Batteries() {
  return (
    <main>
      <h1>Batteries</h1>
    </main>
  );
}
