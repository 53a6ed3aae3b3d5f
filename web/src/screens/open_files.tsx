// Files of one kind as links, and two of them to compare. The choice is in the address.

import type { ComponentChildren } from "preact";
import { about, part } from "../api.ts";
import { useKeys } from "../keys.tsx";
import { Waiting } from "../parts/problem.tsx";
import { rowKeys } from "../parts/rows.ts";
import { queryWord, setQuery } from "../router.ts";

interface OpenFilesProps {
  kind: "profile" | "submission";
  /** The screen of one file. */
  address: string;
  /** What to do if there are no files. */
  none: ComponentChildren;
}

export function OpenFiles({ kind, address, none }: OpenFilesProps) {
  const files = (about.value?.files ?? []).filter((file) => file.kind === kind);
  const chosen = queryWord("compare").split(",").filter((id) => files.some((file) => file.id === id));
  const toggle = (id: string) => {
    const next = chosen.includes(id) ? chosen.filter((it) => it !== id) : [...chosen, id].slice(-2);
    setQuery({ compare: next.join(",") });
  };
  useKeys(rowKeys("file"));
  if (about.value === null) return <Waiting for="the files" />;
  if (files.length === 0) return <p>{none}</p>;
  const [a, b] = chosen;
  return (
    <>
      <ul class="open-files">
        {files.map((file) => (
          <li key={file.id}>
            {files.length > 1 && (
              <input type="checkbox" aria-label={`Compare ${file.name}`} checked={chosen.includes(file.id)} onChange={() => toggle(file.id)} />
            )}
            <a class="row" href={`${address}/${part(file.id)}`}>
              {file.name}
            </a>
          </li>
        ))}
      </ul>
      {files.length > 1 &&
        (a !== undefined && b !== undefined ? (
          <p>
            <a class="button primary" href={`${address}/${part(a)}/${part(b)}`}>
              Compare the two
            </a>
          </p>
        ) : (
          <p class="soft">Choose two to compare them.</p>
        ))}
    </>
  );
}
