// A text that the user is typing, once it rests for a moment.

import { useEffect, useState } from "preact/hooks";

const REST = 120;

export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), REST);
    return () => clearTimeout(timer);
  }, [text]);
  // An empty text is a beginning, not a pause in typing.
  return text === "" ? "" : settled;
}
