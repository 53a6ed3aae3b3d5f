// The programs for a task, best first, and the chosen one.

import { part } from "../api.ts";
import { VerdictSign } from "../parts/badge.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { place } from "../router.ts";
import type { KnownProgram } from "../types.ts";

/** The address of this screen with another chosen program. */
function addressWith(program: string | null): string {
  const words = new URLSearchParams(place.value.query);
  if (program === null) words.delete("program");
  else words.set("program", program);
  const text = words.toString();
  return place.value.path + (text ? `?${text}` : "");
}

function Row({ program, isChosen }: { program: KnownProgram; isChosen: boolean }) {
  return (
    <tr class={isChosen ? "chosen" : undefined}>
      <th scope="row">
        <a href={addressWith(isChosen ? null : program.hash)} aria-current={isChosen ? "true" : undefined}>
          {program.name}
        </a>
        <span class="soft">{program.origin}</span>
      </th>
      <td class="number">{program.lines}</td>
      <td class="number wide">{program.fuel.toLocaleString("en")}</td>
      <td class="number">
        {program.right}/{program.pairs}
      </td>
      <td class="number">{Math.round(program.credit)} %</td>
      <td class="task-signs">
        {program.verdicts.map((verdict, k) => (
          <VerdictSign key={k} name={`Train ${k + 1}`} verdict={verdict} />
        ))}
      </td>
    </tr>
  );
}

export function Programs({ programs, chosen }: { programs: KnownProgram[]; chosen: string }) {
  if (programs.length === 0) {
    return <p class="soft">No program for this task is known yet. Write one in the editor, or let Leyden solve it for 4 s.</p>;
  }
  return (
    <table class="task-programs">
      <thead>
        <tr>
          <th scope="col">Program</th>
          <th scope="col" class="number">
            Lines
          </th>
          <th scope="col" class="number wide">
            Fuel
          </th>
          <th scope="col" class="number">
            Right
          </th>
          <th scope="col" class="number">
            Credit
          </th>
          <th scope="col">Pairs</th>
        </tr>
      </thead>
      <tbody>
        {programs.map((program) => (
          <Row key={program.hash} program={program} isChosen={program.hash === chosen} />
        ))}
      </tbody>
    </table>
  );
}

export interface Chosen {
  hash: string;
  name: string;
  dialect: string;
  text: string;
}

export function ChosenProgram({ program, edit }: { program: Chosen; edit: string }) {
  const { hash, name, dialect, text } = program;
  return (
    <section class="task-chosen" aria-labelledby="chosen">
      <h2 id="chosen">
        {name} <span class="soft">{dialect}</span>
      </h2>
      <pre tabIndex={0} aria-label={`The text of ${name}`}>
        {text.trimEnd()}
      </pre>
      <p class="painter-tools">
        <a class="button" href={`${edit}?program=${part(hash)}`}>
          Edit this program
        </a>
        <a class="button" href={`/program/${part(hash)}`}>
          Program page
        </a>
        <CopyButton label="Copy text" text={() => text} />
        <a class="button" href={addressWith(null)}>
          Choose none
        </a>
      </p>
    </section>
  );
}
