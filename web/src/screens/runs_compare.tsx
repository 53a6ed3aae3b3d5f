// Two runs in one picture, and the tasks that only one of them fits.

import { part } from "../api.ts";
import { useCall } from "../call.ts";
import { seconds } from "../parts/times.ts";
import { counted, grouped } from "../parts/words.ts";
import { taskAddress } from "../parts/address.ts";
import { Problem, Waiting } from "../parts/problem.tsx";
import { Steps } from "../parts/steps.tsx";
import type { Run } from "../types.ts";
import { runCall } from "./run_live.ts";
import { Done, optionWords, setTitle, StateMark } from "./run_parts.tsx";
import { usePulse } from "./run_pulse.ts";

const fitting = (run: Run): Set<string> => new Set(run.tasks.filter((task) => task.state === "fits").map((task) => task.id));

export function Compare({ ids }: { ids: [string, string] }) {
  const both = (signal: AbortSignal) => Promise.all(ids.map((id) => runCall(id, signal)));
  const { data, error, reload } = useCall(`runs ${ids.join()}`, both);
  usePulse(data?.some((run) => run.state === "running") ?? false, reload);
  const [a, b] = data ?? [];
  return (
    <section class="framed compare" aria-labelledby="compared">
      <h2 id="compared">
        {ids[0]} and {ids[1]}
      </h2>
      <Problem error={error} onRetry={reload} />
      {a === undefined || b === undefined ? error === null && <Waiting for="both runs" /> : <Both a={a} b={b} />}
    </section>
  );
}

function Both({ a, b }: { a: Run; b: Run }) {
  const [inA, inB] = [fitting(a), fitting(b)];
  const onlyA = [...inA].filter((id) => !inB.has(id));
  const onlyB = [...inB].filter((id) => !inA.has(id));
  return (
    <>
      {a.set !== b.set && <p class="soft">These runs have different data sets, so only the curves can be compared.</p>}
      <Steps of="tasks that fit" lines={[a, b].map((run) => ({ name: run.id, points: run.curve }))} />
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col" class="wide">
              Work done
            </th>
            <th scope="col" class="number">
              Fit
            </th>
            <th scope="col" class="number">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {[a, b].map((run) => (
            <tr key={run.id}>
              <th scope="row">
                <a href={`/runs/${part(run.id)}`}>{run.id}</a> {run.command}
                <span class="soft under">
                  {setTitle(run.set)}, {optionWords(run)}
                </span>
              </th>
              <td>
                <StateMark state={run.state} />
              </td>
              <td class="wide">
                <Done run={run} />
              </td>
              <td class="number">{grouped(run.solved)}</td>
              <td class="number">{seconds(run.seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {a.set === b.set && (
        <div class="sides">
          <Only run={a} tasks={onlyA} />
          <Only run={b} tasks={onlyB} />
        </div>
      )}
      {a.set === b.set && <p class="soft">Both fit {counted(inA.size - onlyA.length, "task")}.</p>}
    </>
  );
}

function Only({ run, tasks }: { run: Run; tasks: string[] }) {
  return (
    <section>
      <h3>
        Only {run.id} fits {counted(tasks.length, "task")}
      </h3>
      <ul class="ids">
        {tasks.map((id) => (
          <li key={id}>
            <a class="id" href={taskAddress(run.set, id)}>
              {id}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
