export default function Submission() {
  return (
    <main>
      <h1>Submission</h1>
    </main>
  );
}
