// The form that starts a run.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { about, part, post } from "../api.ts";
import { Problem } from "../parts/problem.tsx";
import { navigate, queryWord } from "../router.ts";
import type { RunLine } from "../types.ts";

type Command = RunLine["command"];

const COMMANDS: Record<Command, string> = {
  solve: "searches for a program for each task",
  evolve: "changes known programs round by round until they fit",
};

const LIBRARIES = [
  ["", "as usual"],
  ["own", "my store"],
  ["public", "public programs"],
  ["none", "none"],
] as const;

/** A time as commands read it: 500ms, 4s, 10m, 1h30m. */
const TIME = "(\\d+(\\.\\d+)?\\s*(ms|s|m|h)\\s*)+";

/** The tasks of a text: words between spaces and commas. */
const words = (text: string): string[] => text.split(/[\s,]+/).filter((it) => it !== "");

export function RunForm() {
  const [command, setCommand] = useState<Command>(queryWord("command") === "evolve" ? "evolve" : "solve");
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const sets = about.value?.sets ?? [];
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const tasks = words(text("tasks"));
    const options = {
      ...(text("per_task") && { per_task: text("per_task") }),
      ...(text("budget") && { budget: text("budget") }),
      ...(text("seed") && { seed: Number(text("seed")) }),
      ...(text("library") && { library: text("library") }),
      ...(tasks.length > 0 && { tasks }),
    };
    setError(null);
    setBusy(true);
    try {
      const { id } = await post<{ id: string }>("runs", { command, set: text("set"), options });
      navigate(`/runs/${part(id)}`);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form class="run-form" onSubmit={(event) => void start(event)}>
      <fieldset class="commands">
        <legend class="hidden">Command</legend>
        {(Object.keys(COMMANDS) as Command[]).map((name) => (
          <label key={name}>
            <input type="radio" name="command" value={name} checked={command === name} onChange={() => setCommand(name)} />
            <span>
              <b>{name}</b> <span class="soft">{COMMANDS[name]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="fields">
        <Field name="Data set">
          {(id) => (
            <select id={id} name="set" value={queryWord("set") || sets[0]?.id}>
              {sets.map((set) => (
                <option key={set.id} value={set.id}>
                  {set.title} ({set.tasks})
                </option>
              ))}
            </select>
          )}
        </Field>
        {command === "solve" && (
          <Field name="Time for each task">
            {(id) => <input id={id} type="text" name="per_task" placeholder="4s" pattern={TIME} title="A number and ms, s, m or h" defaultValue={queryWord("per_task")} />}
          </Field>
        )}
        <Field name="Time in all">
          {(id) => (
            <input
              id={id}
              type="text"
              name="budget"
              placeholder={command === "solve" ? "no limit" : "10m"}
              pattern={TIME}
              title="A number and ms, s, m or h"
              defaultValue={queryWord("budget")}
            />
          )}
        </Field>
        {command === "evolve" && <Field name="Seed">{(id) => <input id={id} type="number" name="seed" min="0" step="1" placeholder="0" />}</Field>}
        <Field name="Known programs">
          {(id) => (
            <select id={id} name="library">
              {LIBRARIES.map(([value, word]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field name="Only these tasks" isWide>
          {(id) => <input id={id} type="text" name="tasks" placeholder="all; or ids, with spaces between" defaultValue={queryWord("tasks")} />}
        </Field>
      </div>
      <p class="answers">
        <button type="submit" class="primary" disabled={isBusy || sets.length === 0}>
          {isBusy ? "Starting …" : "Start"}
        </button>
        <span class="soft">It goes on when the page is closed. At most two runs go on at a time.</span>
      </p>
      <Problem error={error} />
    </form>
  );
}

function Field(props: { name: string; isWide?: boolean; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <p class={props.isWide ? "field broad" : "field"}>
      <label for={id}>{props.name}</label>
      {props.children(id)}
    </p>
  );
}
