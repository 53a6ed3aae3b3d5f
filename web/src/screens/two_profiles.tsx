export default function TwoProfiles() {
  return (
    <main>
      <h1>TwoProfiles</h1>
    </main>
  );
}
