// A button that copies a text.

import { useState } from "preact/hooks";

const PAUSE = 2000;

export function CopyButton({ text }: { text: string }) {
  const [said, setSaid] = useState("");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied"),
      () => setSaid("The browser does not allow it"),
    );
    setTimeout(() => setSaid(""), PAUSE);
  };
  return (
    <>
      <button type="button" onClick={copy}>
        Copy
      </button>
      <span class="soft" role="status">
        {said}
      </span>
    </>
  );
}
