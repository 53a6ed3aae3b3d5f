export default function Submissions() {
  return (
    <main>
      <h1>Submissions</h1>
    </main>
  );
}
