// The submissions that were opened as files.

import { OpenFiles } from "./open_files.tsx";

export default function Submissions() {
  return (
    <main>
      <h1>Submissions</h1>
      <OpenFiles
        kind="submission"
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
