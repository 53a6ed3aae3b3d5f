export default function Library() {
  return (
    <main>
      <h1>Library</h1>
    </main>
  );
}
