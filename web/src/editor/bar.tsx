// The tools above the text: saving, exporting, the link, the dialect.

import { useState } from "preact/hooks";
import { about, part, post, postForFile } from "../api.ts";
import { download } from "../download.ts";
import { isHelpOpen } from "../keys.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { messageOf } from "../parts/problem.tsx";
import { setQuery } from "../router.ts";
import type { Session } from "./session.ts";

interface Saved {
  hash: string;
  name: string;
  is_new: boolean;
  fits: boolean;
  store: string;
}

type News = { is: "saved"; saved: Saved } | { is: "said"; words: string } | null;

/** Saves the text and exports it; `news` tells what came of it. */
export function useSaving(session: Session) {
  const [news, setNews] = useState<News>(null);
  const tell = (error: unknown) => setNews({ is: "said", words: messageOf(error) });
  const save = async () => {
    try {
      const { sample: _, ...body } = session.body();
      const saved = await post<Saved>("library", { ...body, ...(session.parent && { parent: session.parent }) });
      session.parent = saved.hash;
      setNews({ is: "saved", saved });
    } catch (error) {
      tell(error);
    }
  };
  const exportPage = async () => {
    try {
      const { name, blob } = await postForFile("export", session.body());
      download(name, blob);
      setNews({ is: "said", words: `Exported as ${name}.` });
    } catch (error) {
      tell(error);
    }
  };
  return { news, save, exportPage };
}

function NewsLine({ news }: { news: News }) {
  return (
    <span role="status" class="ed-news">
      {news?.is === "said" && news.words}
      {news?.is === "saved" && (
        <>
          {news.saved.is_new ? "Saved as" : "The library has it:"} <a href={`/program/${part(news.saved.hash)}`}>{news.saved.name}</a>
        </>
      )}
    </span>
  );
}

/** The program that the user began with, and the way back to it. */
function Origin({ session }: { session: Session }) {
  const { name, parent, original } = session.start;
  return (
    <p class="ed-origin">
      {parent === null ? <span class="soft">from the template</span> : <a href={`/program/${part(parent)}`}>{name}</a>}
      {session.isChanged.value && (
        <>
          <span class="soft">changed</span>
          <button type="button" class="wordy" onClick={() => session.take(original)}>
            Take the changes back
          </button>
        </>
      )}
    </p>
  );
}

interface BarProps {
  session: Session;
  dialect: string;
  showsTests: boolean;
  saving: ReturnType<typeof useSaving>;
  onVariants: () => void;
}

export function Bar({ session, dialect, showsTests, saving, onVariants }: BarProps) {
  const found = session.evaluation.value?.program?.dialect;
  return (
    <div class="task-tools ed-bar">
      <button type="button" class="primary" onClick={() => void saving.save()}>
        Save to the library
      </button>
      <button type="button" onClick={() => void saving.exportPage()}>
        Export as a page
      </button>
      <CopyButton label="Copy link" text={() => session.link()} />
      <button type="button" onClick={onVariants} title="Alt+Enter, or Ctrl and a press on a word">
        Variants
      </button>
      <select aria-label="Dialect" value={dialect} onChange={(event) => setQuery({ dialect: event.currentTarget.value })}>
        <option value="">{found && dialect === "" ? `found: ${found}` : "dialect as found"}</option>
        {(about.value?.dialects ?? []).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <label>
        <input
          type="checkbox"
          checked={showsTests}
          disabled={!session.task.has_solutions}
          onChange={() => setQuery({ tests: showsTests ? null : 1 })}
        />{" "}
        Compare tests
      </label>
      <button type="button" onClick={() => (isHelpOpen.value = true)}>
        Keys
      </button>
      <Origin session={session} />
      <NewsLine news={saving.news} />
    </div>
  );
}
