// What the server finds in the text, as a list below it.

import type { Finding } from "../types.ts";
import type { Session } from "./session.ts";

const MOST = 3;
const SIGNS: Record<Finding["severity"], string> = { error: "✗", warning: "!", info: "i" };

export function Findings({ session }: { session: Session }) {
  const findings = session.preview.value ? [] : session.findings.value;
  if (findings.length === 0) return null;
  const go = ({ from }: Finding) => {
    const { view } = session;
    view?.dispatch({ selection: { anchor: Math.min(from, view.state.doc.length) }, scrollIntoView: true });
    view?.focus();
  };
  return (
    <ul class="ed-findings" aria-label="Findings">
      {findings.slice(0, MOST).map((finding) => (
        <li key={`${finding.from} ${finding.message}`} class={finding.severity}>
          <span aria-hidden="true">{SIGNS[finding.severity]}</span>
          <span>
            <span class="hidden">{finding.severity}: </span>
            {finding.message}
            {finding.label && <span class="soft"> — {finding.label}</span>}
            {finding.help && <span class="soft"> — {finding.help}</span>}
          </span>
          <button type="button" class="wordy" onClick={() => go(finding)}>
            line {finding.line}
          </button>
        </li>
      ))}
      {findings.length > MOST && <li class="more soft">and {findings.length - MOST} more</li>}
    </ul>
  );
}
