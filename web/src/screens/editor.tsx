// The editor: a program runs on every pair as the user types.

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { get, part, returns } from "../api.ts";
import { useCall } from "../call.ts";
import { Bar, useSaving } from "../editor/bar.tsx";
import { CorrectPanel } from "../editor/correct.tsx";
import { Findings } from "../editor/findings.tsx";
import { textOf } from "../editor/link.ts";
import { pairNames, Pairs, Summary } from "../editor/pairs.tsx";
import { Session, type Choice } from "../editor/session.ts";
import { startOf, type Start } from "../editor/start.ts";
import { Strip } from "../editor/strip.tsx";
import { VariantsPanel } from "../editor/variants.tsx";
import { openEditor } from "../editor/view.ts";
import { loadVocabulary } from "../editor/vocabulary.ts";
import { useKeys } from "../keys.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { navigate, place, queryWord, setQuery } from "../router.ts";
import type { Params } from "../routes.ts";
import type { Grid, Task } from "../types.ts";

export default function EditorScreen({ params }: { params: Params }) {
  const { set = "", id = "" } = params;
  const path = `sets/${part(set)}/tasks/${part(id)}`;
  const { data, error, reload } = useCall(path, (signal) => get<Task>(path, {}, signal));
  const home = `/task/${part(set)}/${part(id)}`;
  return (
    <main class="editor">
      <div class="task-head">
        <h1>
          <span class="soft">Edit</span> {id}
        </h1>
        <a href={home}>To the task</a>
      </div>
      <Problem error={error} onRetry={reload} />
      {data === null && error === null && <Waiting for="the task" />}
      {data !== null && <Beginning task={data} />}
    </main>
  );
}

/** Finds the text to begin with. Without a program in the address, the best known one is put there. */
function Beginning({ task }: { task: Task }) {
  const program = queryWord("program");
  const best = task.programs[0]?.hash ?? "";
  const needsBest = program === "" && queryWord("scratch") === "" && best !== "";
  useLayoutEffect(() => {
    if (needsBest) setQuery({ program: best });
  }, [needsBest, best]);
  const key = needsBest ? null : `${task.set}/${task.id}/${program}`;
  const { data, error, reload } = useCall(key, (signal) => startOf(task, program, place.peek().fragment, signal));
  if (error !== null) {
    return (
      <>
        <Problem error={error} onRetry={reload} />
        <a href={`/edit/${part(task.set)}/${part(task.id)}?scratch=1`}>Edit from scratch</a>
      </>
    );
  }
  if (data === null) return <Waiting for="the program" />;
  return <Workshop key={key} task={task} start={data} />;
}

function choiceFromAddress(task: Task): Choice {
  const pair = Number(queryWord("pair") || 1) - 1;
  const isPair = Number.isInteger(pair) && pair >= 0 && pair < task.train.length + task.test.length;
  return { pair: isPair ? pair : 0, dialect: queryWord("dialect"), showsTests: queryWord("tests") !== "" };
}

/** Takes the text of a link that the user opens while the editor is there. */
function useLink(session: Session): void {
  const { fragment } = place.value;
  useEffect(() => {
    if (fragment === session.fragment) return;
    session.fragment = fragment;
    void textOf(fragment).then((text) => session.take(text ?? session.start.original));
  }, [fragment]);
}

function Workshop({ task, start }: { task: Task; start: Start }) {
  const choice = choiceFromAddress(task);
  const session = useMemo(() => new Session(task, start, choice, place.peek().fragment), []);
  const host = useRef<HTMLDivElement>(null);
  const strip = useRef<HTMLElement>(null);
  const saving = useSaving(session);
  const latest = useRef({ save: saving.save, dialect: choice.dialect });
  latest.current = { save: saving.save, dialect: choice.dialect };
  const path = `sets/${part(task.set)}/tasks/${part(task.id)}/solutions`;
  const solutions = useCall(choice.showsTests ? path : null, (signal) => get<{ outputs: (Grid | null)[] }>(path, {}, signal));
  useEffect(() => {
    loadVocabulary().then(
      (words) => (session.words.value = words),
      (error: unknown) => (session.failure.value = error),
    );
    if (host.current === null) return;
    const view = openEditor(host.current, start.text, {
      onText: (text, at) => session.onText(text, at),
      onCursor: (line, column) => (session.cursor.value = { line, column }),
      onVariants: (position) => session.openTool({ is: "variants", position }),
      onSave: () => void latest.current.save(),
      onLeave: () => strip.current?.focus(),
      knowledge: () => ({
        words: session.words.peek(),
        dialect: latest.current.dialect || (session.evaluation.peek()?.program?.dialect ?? ""),
      }),
    });
    return session.open(view);
  }, []);
  useEffect(() => session.choose(choice), [choice.pair, choice.dialect, choice.showsTests]);
  useEffect(() => session.again(), [returns.value]);
  useLink(session);
  const variants = () => session.openTool({ is: "variants", position: session.view?.state.selection.main.head ?? 0 });
  const leave = () => navigate(`/task/${part(task.set)}/${part(task.id)}`);
  const nPairs = task.train.length + task.test.length;
  const toPair = (k: number) => setQuery({ pair: k === 0 ? null : k + 1 });
  useKeys([
    { keys: ["Alt+Enter"], does: "In the text: variants of the word at the cursor", run: variants },
    { keys: ["Ctrl+Space"], does: "In the text: completion", run: () => undefined },
    { keys: ["Ctrl+Z"], does: "In the text: undo", run: () => undefined },
    { keys: ["F8"], does: "In the text: next finding", run: () => undefined },
    { keys: ["Ctrl+S"], does: "In the text: save to the library", run: () => undefined },
    { keys: ["Escape"], does: "Leave the text, so that Tab goes on; close a tool", run: () => session.tool.value && session.closeTool() },
    { keys: ["i"], does: "Into the text", run: () => session.view?.focus() },
    { keys: ["v"], does: "Variants of the word at the cursor", run: variants },
    { keys: ["j"], does: "Values of the next pair", run: () => toPair((choice.pair + 1) % nPairs) },
    { keys: ["k"], does: "Values of the pair before", run: () => toPair((choice.pair + nPairs - 1) % nPairs) },
    { keys: ["c"], does: "Correct the chosen pair by hand", run: () => session.openTool({ is: "painter", pair: choice.pair }) },
    { keys: ["t"], does: "To the task", run: leave },
  ]);
  const tool = session.tool.value;
  const pair = pairNames(task.train.length, task.test.length)[choice.pair] ?? "";
  return (
    <>
      <Bar session={session} dialect={choice.dialect} showsTests={choice.showsTests} saving={saving} onVariants={variants} />
      <div class="ed-parts">
        <Summary session={session} />
        <div class="ed-left">
          <div ref={host} class="ed-host" />
          <Problem error={session.failure.value} />
          <Findings session={session} />
          {tool?.is === "variants" && <VariantsPanel key={tool.position} session={session} position={tool.position} />}
          {tool?.is === "painter" && <CorrectPanel key={tool.pair} session={session} pair={tool.pair} />}
          <Strip session={session} pair={pair} target={strip} />
        </div>
        <div class="ed-right">
          <Problem error={solutions.error} />
          <Pairs session={session} solutions={solutions.data?.outputs ?? []} chosen={choice.pair} />
        </div>
      </div>
    </>
  );
}
