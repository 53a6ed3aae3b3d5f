// One task: its pairs, the programs for it, and a place to draw an answer.

import { useState } from "preact/hooks";
import { about, get, part, post } from "../api.ts";
import { useCall } from "../call.ts";
import { taskAsJson, taskAsNumpy } from "../grid/texts.ts";
import { useKeys } from "../keys.tsx";
import { BadgeMark } from "../parts/badge.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { messageOf, Problem, Waiting } from "../parts/problem.tsx";
import { navigate, queryWord, setQuery } from "../router.ts";
import type { Params } from "../routes.ts";
import { Answer } from "../task/answer.tsx";
import { PairCard, PointedLine } from "../task/pair.tsx";
import { ChosenProgram, Programs, type Chosen } from "../task/programs.tsx";
import type { Evaluation, Grid, Task, TaskLine } from "../types.ts";

const addressOf = (screen: string, set: string, id: string): string => `/${screen}/${part(set)}/${part(id)}`;

interface Neighbours {
  line: TaskLine | null;
  before: string | null;
  after: string | null;
  /** "12 of 400", for example. */
  place: string;
}

function neighbours(list: TaskLine[], id: string): Neighbours {
  const k = list.findIndex((line) => line.id === id);
  if (k < 0) return { line: null, before: null, after: null, place: "" };
  const place = `${k + 1} of ${list.length}`;
  return { line: list[k] ?? null, before: list[k - 1]?.id ?? null, after: list[k + 1]?.id ?? null, place };
}

/** The chosen program: one of the list, or any other that the server knows. */
function useChosen(task: Task, hash: string) {
  const known = task.programs.find((program) => program.hash === hash);
  const asked = hash === "" || known ? null : hash;
  const { data, error } = useCall(asked, (signal) => get<Chosen>(`programs/${part(hash)}`, {}, signal));
  return { chosen: known ?? data, error };
}

function Neighbour(props: { label: string; address: string | null; sign: string }) {
  if (props.address === null) return null;
  return (
    <a class="button" href={props.address} aria-label={props.label} title={props.label}>
      {props.sign}
    </a>
  );
}

function SolveButton({ set, id }: { set: string; id: string }) {
  const [run, setRun] = useState<string | null>(null);
  const [failure, setFailure] = useState("");
  const start = async () => {
    setFailure("");
    try {
      const body = { command: "solve", set, options: { per_task: "4s", tasks: [id] } };
      setRun((await post<{ id: string }>("runs", body)).id);
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <>
      <button type="button" disabled={about.value?.can_run === false} onClick={() => void start()}>
        Solve for 4 s
      </button>
      <span role="status" class="task-run">
        {run !== null && (
          <>
            It runs. <a href={`/runs/${part(run)}`}>Look at run {run}</a>
          </>
        )}
        {failure}
      </span>
    </>
  );
}

export default function TaskScreen({ params }: { params: Params }) {
  const { set = "", id = "" } = params;
  const { data, error, reload } = useCall(`${set}/${id}`, (signal) => get<Task>(`sets/${part(set)}/tasks/${part(id)}`, {}, signal));
  const list = useCall(set, (signal) => get<{ tasks: TaskLine[] }>(`sets/${part(set)}/tasks`, {}, signal));
  const { line, before, after, place } = neighbours(list.data?.tasks ?? [], id);
  const task = (other: string | null) => (other === null ? null : addressOf("task", set, other));
  const go = (other: string | null) => other !== null && navigate(addressOf("task", set, other));
  const program = queryWord("program");
  const edit = addressOf("edit", set, id);
  const showsDifference = queryWord("difference") !== "off";
  useKeys([
    { keys: ["j", "ArrowRight"], does: "Next task", run: () => go(after) },
    { keys: ["k", "ArrowLeft"], does: "Task before", run: () => go(before) },
    { keys: ["e"], does: "Edit", run: () => navigate(program ? `${edit}?program=${part(program)}` : edit) },
    { keys: ["d"], does: "Differences hatched, or not", run: () => setQuery({ difference: showsDifference ? "off" : null }) },
  ]);
  return (
    <main class="task">
      <div class="task-head">
        <h1>
          <span class="soft">Task</span> {id}
        </h1>
        {line && <BadgeMark badge={line.badge} credit={line.credit} />}
        <a href={`/?set=${part(set)}`}>{set}</a>
        <span class="task-steps">
          <span class="soft">{place}</span>
          <Neighbour label="Task before" address={task(before)} sign="←" />
          <Neighbour label="Next task" address={task(after)} sign="→" />
        </span>
      </div>
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the task" />}
      {data !== null && <Whole key={`${set}/${id}`} task={data} edit={edit} program={program} showsDifference={showsDifference} />}
    </main>
  );
}

interface WholeProps {
  task: Task;
  edit: string;
  program: string;
  showsDifference: boolean;
}

function Whole({ task, edit, program, showsDifference }: WholeProps) {
  const { set, id } = task;
  const showsTests = queryWord("tests") !== "";
  const drawn = queryWord("draw");
  const path = `sets/${part(set)}/tasks/${part(id)}/solutions`;
  const solutions = useCall(showsTests ? path : null, (signal) => get<{ outputs: (Grid | null)[] }>(path, {}, signal));
  const { chosen, error } = useChosen(task, program);
  const body = chosen && { text: chosen.text, set, task: id, dialect: chosen.dialect, tests: showsTests };
  const result = useCall(body && JSON.stringify(body), (signal) => post<Evaluation>("eval", body, signal));
  const samples = result.data?.samples ?? [];
  const tests = task.test.map(({ input }, k) => ({ input, output: solutions.data?.outputs[k] ?? null }));
  const missing = task.has_solutions ? (showsTests ? "not known" : "hidden") : "not known";
  return (
    <div class="task-parts">
      <div class="task-tools">
        <a class="button primary" href={chosen ? `${edit}?program=${part(chosen.hash)}` : edit}>
          Edit
        </a>
        <a class="button" href={`${edit}?scratch=1`}>
          Edit from scratch
        </a>
        <SolveButton set={set} id={id} />
        <CopyButton label="Copy JSON" text={() => taskAsJson(task.train, tests)} />
        <CopyButton label="Copy NumPy" text={() => taskAsNumpy(task.train, tests)} />
      </div>
      <section class="task-pairs" aria-labelledby="pairs">
        <h2 id="pairs" class="hidden">
          Pairs
        </h2>
        {task.train.map((pair, k) => (
          <PairCard
            key={k}
            task={id}
            name={`Train ${k + 1}`}
            {...pair}
            missing=""
            sample={samples[k] ?? null}
            showsDifference={showsDifference}
          />
        ))}
        {tests.map((test, k) => (
          <PairCard
            key={`test ${k}`}
            task={id}
            name={`Test ${k + 1}`}
            {...test}
            missing={missing}
            sample={samples[task.train.length + k] ?? null}
            showsDifference={showsDifference}
          >
            <button type="button" aria-expanded={drawn === String(k + 1)} onClick={() => setQuery({ draw: drawn === String(k + 1) ? null : k + 1 })}>
              {drawn === String(k + 1) ? "Put the drawing away" : "Draw an answer"}
            </button>
            {drawn === String(k + 1) && <Answer task={task} test={k} />}
          </PairCard>
        ))}
        <PointedLine />
      </section>
      <aside class="task-side" aria-label="Programs">
        <div class="task-tools">
          <h2>Programs</h2>
          <label>
            <input type="checkbox" checked={showsDifference} onChange={() => setQuery({ difference: showsDifference ? "off" : null })} />{" "}
            Differences
          </label>
          <label>
            <input type="checkbox" checked={showsTests} disabled={!task.has_solutions} onChange={() => setQuery({ tests: showsTests ? null : 1 })} />{" "}
            Show test outputs
          </label>
        </div>
        <Problem error={error ?? result.error ?? solutions.error} />
        <Programs programs={task.programs} chosen={program} />
        {chosen && <ChosenProgram program={chosen} edit={edit} />}
      </aside>
    </div>
  );
}
