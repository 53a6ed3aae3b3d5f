export default function Task() {
  return (
    <main>
      <h1>Task</h1>
    </main>
  );
}
