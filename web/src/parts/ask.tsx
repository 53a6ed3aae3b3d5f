// Asks before something is lost.

import { Dialog } from "./dialog.tsx";

interface AskProps {
  title: string;
  text: string;
  /** The word on the button that does it. */
  yes: string;
  onYes: () => void;
  onClose: () => void;
}

export function Ask({ title, text, yes, onYes, onClose }: AskProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p class="answers">
        <button type="button" class="primary" onClick={onYes}>
          {yes}
        </button>
      </p>
    </Dialog>
  );
}
