// Names with their values, side by side.

import type { ComponentChildren } from "preact";

export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
