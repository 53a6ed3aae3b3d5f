export default function TwoSubmissions() {
  return (
    <main>
      <h1>TwoSubmissions</h1>
    </main>
  );
}
