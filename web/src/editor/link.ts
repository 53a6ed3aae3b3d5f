// The text of the editor in the fragment of the link, so that a link runs.

const PLAIN = "text";
const DEFLATED = "deflated";

function toWords(bytes: Uint8Array): string {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromWords(words: string): Uint8Array<ArrayBuffer> {
  const letters = atob(words.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** The fragment for a text: deflated if that is shorter. */
export async function fragmentOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const small = await through(bytes, new CompressionStream("deflate-raw"));
  return small.length < bytes.length ? `${DEFLATED}=${toWords(small)}` : `${PLAIN}=${toWords(bytes)}`;
}

/** The text of a fragment, or `null` if it has none that can be read. */
export async function textOf(fragment: string): Promise<string | null> {
  const words = new URLSearchParams(fragment);
  const [plain, deflated] = [words.get(PLAIN), words.get(DEFLATED)];
  try {
    if (plain !== null) return new TextDecoder().decode(fromWords(plain));
    if (deflated !== null) return new TextDecoder().decode(await through(fromWords(deflated), new DecompressionStream("deflate-raw")));
  } catch {
    return null;
  }
  return null;
}
