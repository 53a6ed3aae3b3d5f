// The head of a column that sorts its table. A minus sign before a name turns its order around.

import type { ComponentChildren } from "preact";

interface SortHeadProps {
  /** The name of the order. */
  name: string;
  /** The order of the table now. */
  sort: string;
  onSort: (sort: string) => void;
  /** Whether the order without a minus sign begins with the largest. */
  isDescending?: boolean;
  /** Whether the column has numbers. */
  isNumeric?: boolean;
  /** Further classes of the head. */
  look?: string;
  title?: string;
  children: ComponentChildren;
}

export function SortHead({ name, sort, onSort, isDescending = false, isNumeric = false, look = "", title, children }: SortHeadProps) {
  const isOurs = sort === name || sort === `-${name}`;
  const falls = (sort === name) === isDescending;
  const direction = falls ? "descending" : "ascending";
  return (
    <th scope="col" class={`${isNumeric ? "number" : ""} ${look}`} aria-sort={isOurs ? direction : undefined}>
      <button type="button" class="sort" title={title} onClick={() => onSort(sort === name ? `-${name}` : name)}>
        {children}
        <span aria-hidden="true">{isOurs ? (falls ? "↓" : "↑") : "↕"}</span>
      </button>
    </th>
  );
}
