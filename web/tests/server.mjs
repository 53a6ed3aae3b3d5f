// Starts `leyden explore` for tests, kills it, and starts it again.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The binary under test. */
export const LEYDEN = resolve(process.env.LEYDEN ?? "../target/release/leyden");

/** A directory for one test. */
export const scratch = () => mkdtempSync(join(tmpdir(), "leyden-page-"));

/** Runs the command and gives its standard output. */
export function leyden(dir, ...args) {
  const ran = spawnSync(LEYDEN, args, { cwd: dir, encoding: "utf8", maxBuffer: 1 << 28 });
  if (ran.status !== 0) throw new Error(`leyden ${args.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
}

export class Server {
  constructor(dir, args, port = 0) {
    this.dir = dir;
    this.args = args;
    this.port = port;
  }

  /** Starts, and waits for the link. */
  async start() {
    const fixed = ["explore", "--no-open", "--store", join(this.dir, "own.db"), "--port", String(this.port)];
    const started = process.hrtime.bigint();
    this.child = spawn(LEYDEN, [...fixed, ...this.args], { cwd: this.dir, stdio: ["ignore", "pipe", "pipe"] });
    this.said = "";
    this.child.stderr.on("data", (bytes) => (this.said += bytes));
    this.link = await firstLine(this.child, () => this.said);
    this.millis = Number(process.hrtime.bigint() - started) / 1e6;
    const { origin, port } = new URL(this.link);
    this.origin = origin;
    this.port = Number(port);
    return this;
  }

  /** Ends the process as a crash does. */
  async kill(signal = "SIGKILL") {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    this.child.kill(signal);
    await gone;
  }
}

async function firstLine(child, said) {
  let text = "";
  for await (const bytes of child.stdout) {
    text += bytes;
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`leyden explore printed no link: ${said()}`);
}
