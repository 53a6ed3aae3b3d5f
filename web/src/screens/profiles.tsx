// The profiles that were opened as files.

import { about } from "../api.ts";
import { OpenFiles } from "./open_files.tsx";

export default function Profiles() {
  const files = (about.value?.files ?? []).filter((file) => file.kind === "profile");
  return (
    <main>
      <h1>Profiles</h1>
      <OpenFiles
        files={files}
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
