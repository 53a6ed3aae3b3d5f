// The token of the link: it comes in the fragment, stays in this tab, and leaves the address at once.

const KEY = "leyden-token";

function fromAddress(): string | null {
  const words = new URLSearchParams(location.hash.slice(1));
  const given = words.get("token");
  if (given === null) return null;
  words.delete("token");
  const rest = words.toString();
  history.replaceState(null, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
  return given;
}

/** Takes the token of the address, if it has one. */
export function keepToken(): void {
  const given = fromAddress();
  if (given !== null) sessionStorage.setItem(KEY, given);
}

export function token(): string {
  return sessionStorage.getItem(KEY) ?? "";
}
