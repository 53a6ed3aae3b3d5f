// THE table of screens. A screen is one file of `screens`; it loads when the user first goes there.

import type { ComponentType } from "preact";

export type Params = Record<string, string>;
export type Screen = ComponentType<{ params: Params }>;

export interface Route {
  /** Words behind a colon are parameters. */
  pattern: string;
  /** The name of the place in the navigation; screens without one are reached by links. */
  nav?: string;
  title: (params: Params) => string;
  load: () => Promise<{ default: Screen }>;
}

export const ROUTES: readonly Route[] = [
  { pattern: "/", nav: "Gallery", title: () => "Gallery", load: () => import("./screens/gallery.tsx") },
  { pattern: "/task/:set/:id", title: ({ id }) => `Task ${id}`, load: () => import("./screens/task.tsx") },
  { pattern: "/edit/:set/:id", title: ({ id }) => `Edit ${id}`, load: () => import("./screens/editor.tsx") },
  { pattern: "/library", nav: "Library", title: () => "Library", load: () => import("./screens/library.tsx") },
  { pattern: "/program/:hash", title: () => "Program", load: () => import("./screens/program.tsx") },
  { pattern: "/battery", nav: "Batteries", title: () => "Batteries", load: () => import("./screens/batteries.tsx") },
  { pattern: "/battery/:id", title: () => "Battery", load: () => import("./screens/battery.tsx") },
  { pattern: "/battery/:id/:node", title: ({ node }) => `Node ${node}`, load: () => import("./screens/node.tsx") },
  { pattern: "/profile", nav: "Profiles", title: () => "Profiles", load: () => import("./screens/profiles.tsx") },
  { pattern: "/profile/:id", title: () => "Profile", load: () => import("./screens/profile.tsx") },
  { pattern: "/profile/:id/:other", title: () => "Two profiles", load: () => import("./screens/two_profiles.tsx") },
  { pattern: "/runs", nav: "Runs", title: () => "Runs", load: () => import("./screens/runs.tsx") },
  { pattern: "/runs/:id", title: ({ id }) => `Run ${id}`, load: () => import("./screens/run.tsx") },
  { pattern: "/submission", nav: "Submissions", title: () => "Submissions", load: () => import("./screens/submissions.tsx") },
  { pattern: "/submission/:id", title: () => "Submission", load: () => import("./screens/submission.tsx") },
  { pattern: "/submission/:id/:other", title: () => "Two submissions", load: () => import("./screens/two_submissions.tsx") },
];
