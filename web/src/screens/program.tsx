// One program: its text, its scores, its relatives, and what changed between them.

import { useState } from "preact/hooks";
import { get, part } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { editAddress, programAddress, taskAddress } from "../parts/address.ts";
import { VerdictMark } from "../parts/badge.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { Facts, type Fact } from "../parts/facts.tsx";
import { focusGraph } from "../parts/graph.tsx";
import { useKept } from "../parts/kept.ts";
import { Problem, Waiting } from "../parts/problem.tsx";
import { ProgramText } from "../parts/program_text.tsx";
import { percent, ScoreMark } from "../parts/score.tsx";
import { useTitle } from "../parts/title.ts";
import { counted, grouped } from "../parts/words.ts";
import { navigate, queryWord } from "../router.ts";
import type { Lineage, ProgramPage, StoredScore } from "../types.ts";
import { Comparison } from "./comparison.tsx";
import { LineageGraph, shortName } from "./lineage.tsx";

function Actions({ program }: { program: ProgramPage }) {
  const { judged, task, hash } = program;
  return (
    <p class="actions">
      {judged && (
        <a class="button primary" href={editAddress(judged.set, judged.task, hash)}>
          Edit
        </a>
      )}
      {judged && (
        <a class="button" href={taskAddress(judged.set, judged.task)}>
          Task <span class="id">{judged.task}</span>
        </a>
      )}
      {task && (
        <a class="button" href={`/library?task=${part(task)}`}>
          Programs of this task
        </a>
      )}
      <CopyButton label="Copy" text={() => program.text} />
    </p>
  );
}

function ParentLink({ program, lineage }: { program: ProgramPage; lineage: Lineage | null }) {
  const parent = lineage?.nodes.find((it) => it.hash === program.parent);
  if (program.parent === null) return <>none</>;
  if (parent?.is_missing) return <>{shortName(parent, program.task)}, missing from the store</>;
  return (
    <a class="id" href={programAddress(program.parent)}>
      {parent?.name ?? program.parent.slice(0, 8)}
    </a>
  );
}

function factsOf(program: ProgramPage, lineage: Lineage | null): Fact[] {
  const facts: Fact[] = [
    ["Dialect", program.dialect],
    ["From", program.origin],
    ["Lines", grouped(program.lines)],
    ["Task", program.task ?? "none"],
    ["Parent", <ParentLink program={program} lineage={lineage} />],
    ["Children", grouped(program.children)],
    ["Store", program.is_stored ? "has it" : "does not have it"],
  ];
  if (program.mutation !== "") facts.splice(5, 0, ["Change", program.mutation]);
  if (program.run !== null) facts.push(["Run", program.run]);
  facts.push(["Hash", <span class="id">{program.hash}</span>]);
  return facts;
}

function Judged({ program }: { program: ProgramPage }) {
  const { judged } = program;
  if (judged === null) {
    return <p class="soft">{program.task ? `No open data set has the task ${program.task}.` : "It belongs to no task."}</p>;
  }
  return (
    <>
      <p>
        {judged.right} of {counted(judged.pairs, "pair")} right, {judged.right === judged.pairs ? "full credit" : `${percent(judged.credit)} credit`},{" "}
        {grouped(judged.fuel)} fuel
      </p>
      <ul class="verdicts">
        {judged.verdicts.map((verdict, k) => (
          <li key={k}>
            <span class="soft">train {k + 1}</span> <VerdictMark verdict={verdict} />
          </li>
        ))}
      </ul>
    </>
  );
}

function ScoreRow({ score }: { score: StoredScore }) {
  return (
    <tr>
      <th scope="row" class="id">
        {score.set ? <a href={taskAddress(score.set, score.task)}>{score.task}</a> : score.task}
      </th>
      <td>
        <ScoreMark fits={score.right === score.pairs} credit={score.credit} />
      </td>
      <td class="number">
        {score.right} of {score.pairs}
      </td>
      <td class="number">{grouped(score.fuel)}</td>
    </tr>
  );
}

/** More scores than these are folded away. */
const MOST_SCORES = 8;

function Scores({ program }: { program: ProgramPage }) {
  const [isWhole, setIsWhole] = useState(false);
  const { scores } = program;
  const shown = isWhole ? scores : scores.slice(0, MOST_SCORES);
  if (!program.is_stored) return <p class="soft">It is not in the store. “Save” in the editor puts it there.</p>;
  if (scores.length === 0) return <p class="soft">The store has no score of it.</p>;
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Score</th>
            <th scope="col" class="number">
              Right
            </th>
            <th scope="col" class="number">
              Fuel
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((score) => (
            <ScoreRow key={score.task} score={score} />
          ))}
        </tbody>
      </table>
      {scores.length > shown.length && (
        <p>
          <button type="button" onClick={() => setIsWhole(true)}>
            All {scores.length} scores
          </button>
        </p>
      )}
    </>
  );
}

/** A lineage of more programs side by side takes the whole width. */
const MOST_BESIDE = 3;

function Relatives({ program, lineage }: { program: ProgramPage; lineage: Lineage }) {
  const picked = queryWord("pick") || program.hash;
  const name = lineage.nodes.find((it) => it.hash === picked);
  const isWide = lineage.nodes.some((it) => it.place >= MOST_BESIDE);
  const isOwn = picked === program.hash && program.parent === null;
  return (
    <div class={`relatives ${isWide ? "wide-family" : ""}`}>
      <section class="panel family" aria-labelledby="lineage">
        <h2 id="lineage">Lineage</h2>
        <LineageGraph lineage={lineage} picked={picked} />
      </section>
      <section class="panel" aria-labelledby="changed">
        <h2 id="changed">
          {isOwn ? "Outputs of" : "What changed in"} <span class="id">{name ? shortName(name, program.task) : picked.slice(0, 8)}</span>
        </h2>
        <Comparison lineage={lineage} picked={picked} isAgainstPage={queryWord("against") === "page"} own={program.judged} />
      </section>
    </div>
  );
}

interface Data {
  program: ProgramPage;
  lineage: Lineage;
}

async function loaded(hash: string, signal: AbortSignal): Promise<Data> {
  const path = `programs/${part(hash)}`;
  const [program, lineage] = await Promise.all([get<ProgramPage>(path, {}, signal), get<Lineage>(`${path}/lineage`, {}, signal)]);
  return { program, lineage };
}

export default function Program({ params }: { params: Record<string, string> }) {
  const hash = params.hash ?? "";
  const call = useCall(hash, (signal) => loaded(hash, signal));
  const { data, isOld } = useKept(call);
  const program = data?.program;
  useTitle(program && !isOld ? program.name : null);
  const edit = () => program?.judged && navigate(editAddress(program.judged.set, program.judged.task, program.hash));
  const open = () => queryWord("pick") !== "" && navigate(programAddress(queryWord("pick")));
  useKeys([
    { keys: ["e"], does: "Edit the program", run: () => void edit() },
    { keys: ["l"], does: "To the lineage; arrow keys move along it, Enter chooses", run: focusGraph },
    { keys: ["o"], does: "Open the chosen program", run: () => void open() },
  ]);
  return (
    <main aria-busy={isOld}>
      {data === null && (
        <header class="head">
          <h1>Program</h1>
          <a href="/library">To the library</a>
        </header>
      )}
      <Problem error={call.error} onRetry={call.reload} />
      {data === null && call.error === null && <Waiting for="the program" />}
      {data && program && (
        <>
          <header class="head">
            <h1 class="mono">{program.name}</h1>
            <ScoreMark fits={program.fits} credit={program.credit} />
          </header>
          <Actions program={program} />
          <Facts facts={factsOf(program, data.lineage)} />
          <div class="text-and-scores">
            <div class="results">
              <ProgramText text={program.text} name={`Text of ${program.name}`} />
              <section class="panel" aria-labelledby="judged">
                <h2 id="judged">On its task</h2>
                <Judged program={program} />
              </section>
            </div>
            <section class="panel" aria-labelledby="scores">
              <h2 id="scores">Scores in the store</h2>
              <Scores key={program.hash} program={program} />
            </section>
          </div>
          <Relatives program={program} lineage={data.lineage} />
        </>
      )}
    </main>
  );
}
