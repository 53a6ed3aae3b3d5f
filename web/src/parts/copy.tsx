// A button that copies a text and says so.

import { useEffect, useState } from "preact/hooks";

const SAID_FOR = 2000;

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function CopyButton(props: { label: string; text: () => string | Promise<string> }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), SAID_FOR);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copied(await props.text())) ? "Copied" : "The browser refuses to copy");
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {said || props.label}
      </button>
      <span class="hidden" role="status">
        {said}
      </span>
    </>
  );
}
