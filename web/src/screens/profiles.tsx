// The profiles that were opened as files.

import { OpenFiles } from "./open_files.tsx";

export default function Profiles() {
  return (
    <main>
      <h1>Profiles</h1>
      <OpenFiles
        kind="profile"
        address="/profile"
        none={
          <>
            Open one: <code>leyden explore profile.json</code>. <code>leyden profile batch --json profile.json</code> writes one.
          </>
        }
      />
    </main>
  );
}
