// What the editor's screen knows: the text, its latest results, and which tool is open.

import { batch, computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { EditorView } from "@codemirror/view";
import { about, isAbort, post } from "../api.ts";
import { palette } from "../settings.ts";
import type { Evaluation, Finding, Grid, Task, Variants } from "../types.ts";
import type { Start } from "./start.ts";
import { showGhost } from "./ghost.ts";
import { fragmentOf } from "./link.ts";
import { shared } from "./shared.ts";
import { replaceText, showResults } from "./view.ts";
import { NO_WORDS, type Vocabulary } from "./vocabulary.ts";

/** What the words of the address choose. */
export interface Choice {
  /** The pair whose values stand beside the lines. */
  pair: number;
  dialect: string;
  showsTests: boolean;
}

export type Progress = "running" | "further" | "done";

/** The tool below the text. */
export type Tool = { is: "variants"; position: number } | { is: "painter"; pair: number } | null;

const FIRST_PASS = 250_000;
const LINK_PAUSE = 300;
/** The browser keeps at most this many measures of ours. */
const MOST_MEASURES = 2000;

export class Session {
  readonly text = signal("");
  /** The latest results of a text that could be read. */
  readonly evaluation = signal<Evaluation | null>(null);
  /** The latest results of the user's own text, without previews. */
  own: Evaluation | null = null;
  readonly findings = signal<Finding[]>([]);
  /** Whether the latest text could be read at all. */
  readonly isReadable = signal(true);
  readonly progress = signal<Progress>("running");
  readonly failure = signal<unknown>(null);
  /** Rises with each reply, so that its drawing can be measured. */
  readonly turn = signal(0);
  readonly isChanged: ReadonlySignal<boolean>;
  readonly cursor = signal({ line: 1, column: 0 });
  readonly words = signal<Vocabulary>(NO_WORDS);
  readonly tool = signal<Tool>(null);
  /** A text that is shown in place of the user's, and its change in words. */
  readonly preview = signal<{ text: string; change: string } | null>(null);
  /** Grids that the user painted, by pair. */
  readonly painted = signal<ReadonlyMap<number, Grid>>(new Map());
  /** The program that a saved one comes from. */
  parent: string | null;
  view: EditorView | null = null;

  #choice: Choice;
  #abort = new AbortController();
  #undrawn: { start: number; millis: number } | null = null;
  #linkTimer = 0;
  #measures = 0;
  /** The fragment that this session wrote last. */
  fragment: string;

  constructor(
    readonly task: Task,
    readonly start: Start,
    choice: Choice,
    fragment: string,
  ) {
    this.text.value = start.text;
    this.isChanged = computed(() => this.text.value !== start.original);
    this.parent = start.parent;
    this.fragment = fragment;
    this.#choice = choice;
  }

  /** Begins with an editor. Gives the end of it. */
  open(view: EditorView): () => void {
    this.view = view;
    const { head } = view.state.selection.main;
    const line = view.state.doc.lineAt(head);
    this.cursor.value = { line: line.number, column: head - line.from };
    this.#run(this.text.value, null);
    const stop = effect(() => {
      const name = palette.value;
      if (this.view) showResults(this.view, this.findings.peek(), this.evaluation.peek()?.values ?? null, name);
    });
    return () => {
      stop();
      this.#abort.abort();
      clearTimeout(this.#linkTimer);
      this.view = null;
      view.destroy();
    };
  }

  onText(text: string, start: number): void {
    batch(() => {
      this.text.value = text;
      this.preview.value = null;
      if (this.tool.value?.is === "variants") this.tool.value = null;
    });
    this.#run(text, start);
    clearTimeout(this.#linkTimer);
    this.#linkTimer = window.setTimeout(() => void this.#writeLink(), LINK_PAUSE);
  }

  choose(choice: Choice): void {
    const old = this.#choice;
    this.#choice = choice;
    if (old.pair === choice.pair && old.dialect === choice.dialect && old.showsTests === choice.showsTests) return;
    this.#run(this.preview.value?.text ?? this.text.value, null);
  }

  /** Runs the text again if the last run failed, because the server is back. */
  again(): void {
    if (this.failure.value !== null) this.#run(this.text.value, null);
  }

  /** Shows the results of another text; `null` goes back to the user's. */
  show(preview: { text: string; change: string } | null): void {
    if (preview?.text === this.preview.value?.text) return;
    this.preview.value = preview;
    if (this.view) showGhost(this.view, preview?.text ?? null);
    this.#run(preview?.text ?? this.text.value, null);
  }

  /** Puts another text into the editor. */
  take(text: string): void {
    this.show(null);
    if (this.view) replaceText(this.view, text);
  }

  openTool(tool: Tool): void {
    this.show(null);
    this.tool.value = tool;
  }

  closeTool(): void {
    this.openTool(null);
    this.view?.focus();
  }

  /** The body of calls about a text. */
  body(text = this.text.value) {
    const { pair, dialect } = this.#choice;
    return { text, set: this.task.set, task: this.task.id, sample: pair, ...(dialect && { dialect }) };
  }

  async variants(position: number, signal: AbortSignal): Promise<Variants> {
    return post<Variants>("variants", { ...this.body(), position }, signal);
  }

  /** Runs a text with little fuel; what needs more goes on behind, until the next text comes. */
  async #run(text: string, start: number | null): Promise<void> {
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    const body = { ...this.body(text), tests: this.#choice.showsTests };
    try {
      this.progress.value = "running";
      const first = await post<Evaluation>("eval", { ...body, fuel: about.value?.fuel.first_pass ?? FIRST_PASS }, signal);
      if (signal.aborted) return;
      const needsMore = first.samples.some((sample) => sample.verdict === "fuel");
      this.#take(first, start, needsMore ? "further" : "done");
      if (!needsMore) return;
      const second = await post<Evaluation>("eval", body, signal);
      if (!signal.aborted) this.#take(second, null, "done");
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      batch(() => {
        this.failure.value = error;
        this.progress.value = "done";
      });
    }
  }

  #take(reply: Evaluation, start: number | null, progress: Progress): void {
    const isReadable = reply.program !== null;
    batch(() => {
      if (isReadable) this.evaluation.value = shared(this.evaluation.value, reply);
      if (isReadable && this.preview.value === null) this.own = this.evaluation.value;
      this.findings.value = shared(this.findings.value, reply.diagnostics);
      this.isReadable.value = isReadable;
      this.progress.value = progress;
      this.failure.value = null;
      this.turn.value += 1;
    });
    this.#undrawn = start === null ? null : { start, millis: reply.millis };
    // Findings of a preview have no place in the user's text.
    const findings = this.preview.value ? [] : this.findings.value;
    if (this.view) showResults(this.view, findings, isReadable ? (this.evaluation.value?.values ?? null) : null, palette.value);
  }

  /** The page has drawn the latest reply. */
  drawn(): void {
    if (this.#undrawn === null) return;
    const { start, millis } = this.#undrawn;
    this.#undrawn = null;
    this.#measures += 1;
    if (this.#measures % MOST_MEASURES === 0) performance.clearMeasures("verdict");
    performance.measure("verdict", { start, end: performance.now(), detail: { millis } });
  }

  async #writeLink(): Promise<void> {
    const text = this.text.value;
    const fragment = text === this.start.original ? "" : await fragmentOf(text);
    if (text !== this.text.value || this.view === null) return;
    this.fragment = fragment;
    history.replaceState(history.state, "", location.pathname + location.search + (fragment && `#${fragment}`));
  }

  /** The link with the text of now. */
  async link(): Promise<string> {
    await this.#writeLink();
    return location.href;
  }
}
