// Which types of the language can meet: each is a set of letters, one for each kind of value.

const KINDS: Record<string, string> = {
  Boolean: "b",
  Integer: "i",
  IntegerTuple: "p",
  Numerical: "ip",
  Grid: "g",
  Object: "o",
  Indices: "n",
  Objects: "s",
  IntegerSet: "z",
  Patch: "on",
  Piece: "gon",
  Element: "go",
  Tuple: "tpg",
  TupleTuple: "tg",
  FrozenSet: "fonsz",
  Container: "tpgfonsz",
  ContainerContainer: "tgfs",
  Callable: "c",
};

/** Whether a value of one type can stand where the other is expected; unknown types meet all. */
export function meets(given: string | null, expected: string | null): boolean {
  const [a, b] = [KINDS[given ?? ""], KINDS[expected ?? ""]];
  if (a === undefined || b === undefined) return true;
  return [...a].some((kind) => b.includes(kind));
}

/** The type of a constant, by the way its value is written. */
export function kindOfValue(value: string): string {
  if (value === "True" || value === "False") return "Boolean";
  return value.startsWith("(") ? "IntegerTuple" : "Integer";
}
