export default function Profiles() {
  return (
    <main>
      <h1>Profiles</h1>
    </main>
  );
}
