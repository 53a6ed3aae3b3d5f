export default function Profile() {
  return (
    <main>
      <h1>Profile</h1>
    </main>
  );
}
