// The submissions that were opened as files.

import { about } from "../api.ts";
import { OpenFiles } from "./open_files.tsx";

export default function Submissions() {
  const files = (about.value?.files ?? []).filter((file) => file.kind === "submission");
  return (
    <main>
      <h1>Submissions</h1>
      <OpenFiles
        files={files}
        address="/submission"
        none={
          <>
            Open one: <code>leyden explore submission.json</code>. <code>leyden solve … --out submission.json</code> writes one.
          </>
        }
      />
    </main>
  );
}
