// A run while it goes on and afterwards.

import { useEffect, useState } from "preact/hooks";
import { get, part, post, remove } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { seconds } from "../parts/times.ts";
import { counted, grouped } from "../parts/words.ts";
import { programAddress, taskAddress } from "../parts/address.ts";
import { Ask } from "../parts/ask.tsx";
import { Facts, type Fact } from "../parts/facts.tsx";
import { Pager } from "../parts/pager.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { ProgramText } from "../parts/program_text.tsx";
import { Steps } from "../parts/steps.tsx";
import { Strip, TASK_STATES } from "../parts/strip.tsx";
import { navigate, queryWord, setQuery } from "../router.ts";
import type { Find, Run, TaskState } from "../types.ts";
import { useRun } from "./run_live.ts";
import { Done, optionWords, setTitle, StateMark } from "./run_parts.tsx";

const FINDS_PER_PAGE = 20;

export default function RunScreen({ params }: { params: Record<string, string> }) {
  const id = params.id ?? "";
  const { run, error, reload } = useRun(id);
  return (
    <main class="run">
      <p class="trail">
        <a href="/runs">Runs</a>
      </p>
      <header class="title-line">
        <h1>Run {id}</h1>
        {run !== null && <StateMark state={run.state} />}
        {run !== null && <Controls key={run.id} run={run} onDone={reload} />}
      </header>
      <Problem error={error} onRetry={reload} />
      {run === null && error === null && <Waiting for="the run" />}
      {run !== null && <RunBody run={run} />}
    </main>
  );
}

function Controls({ run, onDone }: { run: Run; onDone: () => void }) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => setBusy(false), [run.state]);
  const isRunning = run.state === "running";
  const tell = async (what: "stop" | "resume") => {
    setError(null);
    setBusy(true);
    try {
      await post(`runs/${part(run.id)}/${what}`, {});
      if (what === "resume") onDone();
    } catch (failure) {
      setBusy(false);
      setError(failure);
    }
  };
  const forget = async () => {
    setAsking(false);
    try {
      await remove(`runs/${part(run.id)}`);
      navigate("/runs", { replace: true });
    } catch (failure) {
      setError(failure);
    }
  };
  const canResume = run.state === "stopped" || run.state === "failed";
  useKeys([
    { keys: ["s"], does: "Stop the run", run: () => isRunning && !isBusy && void tell("stop") },
    { keys: ["r"], does: "Resume the run", run: () => canResume && !isBusy && void tell("resume") },
    { keys: ["x"], does: "Forget the run, after a question", run: () => !isRunning && setAsking(true) },
  ]);
  return (
    <div class="controls">
      {isRunning && (
        <button type="button" disabled={isBusy} onClick={() => void tell("stop")}>
          {isBusy ? "Stopping …" : "Stop"}
        </button>
      )}
      {canResume && (
        <button type="button" class="primary" disabled={isBusy} onClick={() => void tell("resume")}>
          Resume
        </button>
      )}
      {!isRunning && (
        <button type="button" onClick={() => setAsking(true)}>
          Forget
        </button>
      )}
      <Problem error={error} />
      {isAsking && (
        <Ask
          title={`Forget run ${run.id}?`}
          text="Its files go: the report, the submission and the journal. Programs that it saved in the store stay."
          yes="Forget it"
          onYes={() => void forget()}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

function RunBody({ run }: { run: Run }) {
  return (
    <>
      {run.message !== "" && (
        <p class="problem" role="alert">
          {run.message}
        </p>
      )}
      <Facts facts={factsOf(run)} />
      <p class="hidden" role="status">
        {run.state}, {counted(run.solved, "task")} fit
      </p>
      {run.state === "running" && <p class="soft">The run goes on when this page is closed.</p>}
      <section aria-labelledby="over-time">
        <h2 id="over-time">Over time</h2>
        <Steps of="tasks that fit" lines={[{ name: run.id, points: run.curve }]} />
      </section>
      <Tasks run={run} />
      <Finds run={run} />
    </>
  );
}

function factsOf(run: Run): Fact[] {
  const of = run.total === 0 ? "" : ` of ${grouped(run.total)}`;
  return [
    ["Command", `${run.command}, ${optionWords(run)}`],
    ["Data set", run.total === 0 ? run.set : <a href={`/?set=${part(run.set)}`}>{setTitle(run.set)}</a>],
    ["Work done", <Done run={run} />],
    ["Tasks that fit", grouped(run.solved) + of],
    ["Time", seconds(run.seconds)],
  ];
}

/** The states that a command gives its tasks: `evolve` never gives one up. */
const STATES: Record<Run["command"], readonly TaskState[]> = { solve: ["fits", "none", "open"], evolve: ["fits", "open"] };

function Tasks({ run }: { run: Run }) {
  const wanted = queryWord("show");
  const shown = run.tasks.filter((task) => wanted === "" || task.state === wanted);
  const count = (state: TaskState) => run.tasks.filter((task) => task.state === state).length;
  if (run.tasks.length === 0) {
    return <p class="soft">The data set {run.set} is not open now, so its tasks have no names here.</p>;
  }
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">Tasks</h2>
      <p class="state-choice">
        {STATES[run.command].map((state) => (
          <button
            key={state}
            type="button"
            aria-pressed={wanted === state}
            title={TASK_STATES[state].does}
            onClick={() => setQuery({ show: wanted === state ? null : state })}
          >
            <span aria-hidden="true">{TASK_STATES[state].sign}</span> {TASK_STATES[state].word} {grouped(count(state))}
          </button>
        ))}
      </p>
      {shown.length === 0 ? (
        <p class="soft">No task is in this state.</p>
      ) : (
        <Strip key={wanted} tasks={shown} addressOf={(task) => taskAddress(run.set, task)} />
      )}
    </section>
  );
}

function Finds({ run }: { run: Run }) {
  const newest = run.finds.toReversed();
  const offset = Math.min(Number(queryWord("finds")) || 0, Math.max(0, newest.length - 1));
  return (
    <section aria-labelledby="finds">
      <h2 id="finds">Finds</h2>
      {newest.length === 0 && <p class="soft">{run.state === "running" ? "Programs that fit a task appear here." : "No program was found that fits a task."}</p>}
      <ul class="finds">
        {newest.slice(offset, offset + FINDS_PER_PAGE).map((find) => (
          <FindLine key={`${find.task} ${find.program ?? ""}`} set={run.set} find={find} />
        ))}
      </ul>
      {newest.length > FINDS_PER_PAGE && (
        <Pager total={newest.length} offset={offset} limit={FINDS_PER_PAGE} of="finds, newest first" onGo={(to) => setQuery({ finds: to || null })} />
      )}
    </section>
  );
}

function FindLine({ set, find }: { set: string; find: Find }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <p class="find">
        <a class="id" href={taskAddress(set, find.task)}>
          {find.task}
        </a>
        {find.source !== undefined && <span class="mark">{find.source}</span>}
        {find.seconds !== null && <span class="soft">after {seconds(find.seconds)}</span>}
        {find.took !== undefined && <span class="soft">took {seconds(find.took)}</span>}
        {find.program !== undefined && <a href={programAddress(find.program)}>lineage</a>}
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Program</summary>
        {isOpen && (find.program === undefined ? <ProgramText text={find.text ?? ""} name={`Program for ${find.task}`} /> : <StoredProgram hash={find.program} task={find.task} />)}
      </details>
    </li>
  );
}

function StoredProgram({ hash, task }: { hash: string; task: string }) {
  const { data, error, reload } = useCall(`program ${hash}`, (signal) => get<{ text: string }>(`programs/${part(hash)}`, {}, signal));
  if (error !== null) return <Problem error={error} onRetry={reload} />;
  return data === null ? <Waiting for="the program" /> : <ProgramText text={data.text} name={`Program for ${task}`} />;
}
