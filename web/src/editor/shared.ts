// Replies share what has not changed with the reply before, so that only the rest is drawn again.

/** The new value with equal parts taken from the old one. */
export function shared<T>(old: unknown, next: T): T {
  if (Object.is(old, next) || !isCompound(old) || !isCompound(next) || Array.isArray(old) !== Array.isArray(next)) return next;
  const [before, after] = [old as Record<string, unknown>, next as Record<string, unknown>];
  const names = Object.keys(after);
  let isEqual = names.length === Object.keys(before).length;
  for (const name of names) {
    after[name] = shared(before[name], after[name]);
    isEqual &&= Object.is(after[name], before[name]);
  }
  return isEqual ? (old as T) : next;
}

const isCompound = (it: unknown): it is object => typeof it === "object" && it !== null;
