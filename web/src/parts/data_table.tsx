// A table of numbers that the page has whole: sorted and cut into pages here, with its state in the address.

import type { ComponentChildren } from "preact";
import { queryWord, setQuery } from "../router.ts";
import { Pager } from "./pager.tsx";
import { SortHead } from "./sortable.tsx";

export interface Column<Row> {
  /** Its name in the address. */
  name: string;
  head: string;
  title?: string;
  value: (row: Row) => number | string;
  /** What the cell shows in place of the value. */
  shown?: (row: Row) => ComponentChildren;
  isNumeric?: boolean;
  /** Whether phones leave it out. */
  isWide?: boolean;
}

interface DataTableProps<Row> {
  /** Names the rows: "primitives". */
  of: string;
  rows: readonly Row[];
  columns: readonly [Column<Row>, ...Column<Row>[]];
  /** The order at first; none keeps that of the rows. */
  sort?: string;
  perPage?: number;
}

const PER_PAGE = 25;

function compared(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Numbers begin with the largest, words with the first of the alphabet; a minus sign turns both around. */
function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): readonly Row[] {
  const column = columns.find((it) => it.name === sort.replace(/^-/, ""));
  if (column === undefined) return rows;
  const turned = sort.startsWith("-") !== (column.isNumeric ?? false);
  return rows.toSorted((a, b) => (turned ? -1 : 1) * compared(column.value(a), column.value(b)));
}

export function DataTable<Row>({ of, rows, columns, sort = "", perPage = PER_PAGE }: DataTableProps<Row>) {
  const order = queryWord("sort") || sort;
  const offset = Math.min(Number(queryWord("from")) || 0, Math.max(0, rows.length - 1));
  const shown = sorted(rows, columns, order).slice(offset, offset + perPage);
  const [first, ...others] = columns;
  const look = (column: Column<Row>) => [column.isNumeric ? "number" : "", column.isWide ? "wide" : ""].join(" ");
  const cell = (row: Row, column: Column<Row>) => column.shown?.(row) ?? column.value(row);
  return (
    <>
      {rows.length > perPage && <Pager total={rows.length} offset={offset} limit={perPage} of={of} onGo={(from) => setQuery({ from: from || null })} />}
      <table class="list data">
        <thead>
          <tr>
            {columns.map((column) => (
              <SortHead
                key={column.name}
                name={column.name}
                sort={order}
                onSort={(to) => setQuery({ sort: to === sort ? null : to, from: null })}
                isNumeric={column.isNumeric ?? false}
                isDescending={column.isNumeric ?? false}
                look={column.isWide ? "wide" : ""}
                {...(column.title !== undefined && { title: column.title })}
              >
                {column.head}
              </SortHead>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, k) => (
            <tr key={`${offset + k} ${first.value(row)}`}>
              <th scope="row" class={look(first)}>
                {cell(row, first)}
              </th>
              {others.map((column) => (
                <td key={column.name} class={look(column)}>
                  {cell(row, column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** A share of a whole: a bar beside its number. */
export function ShareBar({ share, text }: { share: number; text: string }) {
  const width = Math.max(0, Math.min(1, share));
  return (
    <span class="share">
      <svg width="60" height="8" aria-hidden="true">
        <rect class="back" width="60" height="8" rx="2" />
        <rect class="part" width={60 * width} height="8" rx="2" />
      </svg>
      <span>{text}</span>
    </span>
  );
}
