// All programs of the files and of the store, with facets, search, order and pages.

import { useRef } from "preact/hooks";
import { about, get } from "../api.ts";
import { useCall } from "../call.ts";
import { useKeys } from "../keys.tsx";
import { programAddress } from "../parts/address.ts";
import { useKept } from "../parts/kept.ts";
import { Pager } from "../parts/pager.tsx";
import { Problem, Waiting } from "../parts/problem.tsx";
import { rowKeys, useLastRow } from "../parts/rows.ts";
import { ScoreMark } from "../parts/score.tsx";
import { useSettled } from "../parts/settled.ts";
import { SortHead } from "../parts/sortable.tsx";
import { grouped } from "../parts/words.ts";
import { queryWord, setQuery } from "../router.ts";
import type { ProgramLine, ProgramList } from "../types.ts";
import { Chosen, Facets, FACETS } from "./library_facets.tsx";

const LIMIT = 50;

/** The query of the call without the search, as the address has it. */
function queryFromAddress(): Record<string, string | number> {
  const words = [...FACETS, "sort", "offset"].map((name) => [name, queryWord(name)] as const);
  return { ...Object.fromEntries(words), limit: LIMIT };
}

function Store({ isThere }: { isThere: boolean }) {
  if (!isThere) {
    return (
      <p class="soft">
        There is no store yet: these are the programs of files. <code>leyden evolve</code> makes one, and so does “Save” in the editor.
      </p>
    );
  }
  // A store that a save has just made is younger than what the page knows.
  const path = about.value?.store;
  return (
    <p class="soft">
      Programs of files and of {path ? <>the store <code>{path}</code></> : "your store"}
    </p>
  );
}

function Row({ program }: { program: ProgramLine }) {
  return (
    <tr>
      <th scope="row">
        <a class="row id" href={programAddress(program.hash)}>
          {program.name}
        </a>
        <span class="below soft">{program.mutation || program.origin}</span>
      </th>
      <td class="wide id">{program.task ?? ""}</td>
      <td class="number">{program.lines}</td>
      <td>
        <ScoreMark fits={program.fits} credit={program.credit} />
      </td>
      <td class="wide number">{program.fuel === null ? "" : grouped(program.fuel)}</td>
      <td class="wide long" title={program.mutation}>
        {program.mutation}
      </td>
      <td class="wide">{program.origin}</td>
    </tr>
  );
}

function Table({ list, isOld }: { list: ProgramList; isOld: boolean }) {
  const sort = queryWord("sort") || "merit";
  const onSort = (name: string) => setQuery({ sort: name === "merit" ? null : name, offset: null });
  const heads = { sort, onSort };
  return (
    <table class="list programs" aria-busy={isOld}>
      <thead>
        <tr>
          <SortHead name="name" {...heads}>
            Program
          </SortHead>
          <th scope="col" class="wide">
            Task
          </th>
          <SortHead name="lines" isNumeric {...heads}>
            Lines
          </SortHead>
          <SortHead name="merit" isDescending title="Programs that fit come first, then those with most credit" {...heads}>
            Score
          </SortHead>
          <SortHead name="fuel" isNumeric look="wide" {...heads}>
            Fuel
          </SortHead>
          <th scope="col" class="wide">
            Change
          </th>
          <th scope="col" class="wide">
            From
          </th>
        </tr>
      </thead>
      <tbody>
        {list.programs.map((program) => (
          <Row key={program.hash} program={program} />
        ))}
      </tbody>
    </table>
  );
}

function NoPrograms() {
  const isAsked = queryWord("q") !== "" || FACETS.some((name) => queryWord(name) !== "");
  if (isAsked) {
    return (
      <p>
        No program is like that. <a href="/library">Show all</a>
      </p>
    );
  }
  return (
    <p>
      No program is open. Name files of programs: <code>leyden explore --solvers FILE.py</code>
    </p>
  );
}

export default function Library() {
  const query = { ...queryFromAddress(), q: useSettled(queryWord("q")) };
  const call = useCall(JSON.stringify(query), (signal) => get<ProgramList>("programs", query, signal));
  const { data, isOld } = useKept(call);
  const listing = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useKeys([{ keys: ["/"], does: "Search", run: () => search.current?.focus() }, ...rowKeys("program")]);
  useLastRow(data !== null);
  const onGo = (offset: number) => {
    setQuery({ offset: offset || null }, { push: true });
    window.scrollTo(0, 0);
  };
  return (
    <main class="library">
      <header class="head">
        <h1>Library</h1>
        {data && <Store isThere={data.store} />}
      </header>
      <Problem error={call.error} onRetry={call.reload} />
      {call.error !== null && location.search !== "" && (
        <p>
          <a href="/library">Show all programs</a>
        </p>
      )}
      {data === null && call.error === null && <Waiting for="the programs" />}
      {data && (
        <div class="beside">
          <Facets facets={data.facets} />
          <section ref={listing} aria-label="Programs" class="listing" tabIndex={-1}>
            <search class="filters">
              <input
                ref={search}
                type="search"
                aria-label="Search names, tasks, changes and lines"
                placeholder="names, tasks, changes, lines"
                value={queryWord("q")}
                onInput={(event) => setQuery({ q: event.currentTarget.value, offset: null })}
              />
              <Pager total={data.total} offset={data.offset} limit={LIMIT} of="programs" onGo={onGo} />
            </search>
            <Chosen onRemove={() => listing.current?.focus({ preventScroll: true })} />
            {data.programs.length > 0 ? <Table list={data} isOld={isOld} /> : <NoPrograms />}
            {data.total > LIMIT && data.programs.length > 10 && (
              <Pager total={data.total} offset={data.offset} limit={LIMIT} of="programs" isSecond onGo={onGo} />
            )}
          </section>
        </div>
      )}
    </main>
  );
}
