// Addresses of programs, tasks and nodes, and of this screen with other words in its query.

import { part } from "../api.ts";
import { place } from "../router.ts";

export const programAddress = (hash: string): string => `/program/${part(hash)}`;
export const taskAddress = (set: string, task: string): string => `/task/${part(set)}/${part(task)}`;
export const editAddress = (set: string, task: string, hash: string): string =>
  `/edit/${part(set)}/${part(task)}?program=${part(hash)}`;
export const nodeAddress = (battery: string, node: string): string => `/battery/${part(battery)}/${part(node)}`;

/** The address of this screen after a change of its query; `null` removes a word. */
export function addressWith(changes: Record<string, string | number | null>): string {
  const words = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") words.delete(name);
    else words.set(name, String(value));
  }
  const text = words.toString();
  return place.value.path + (text ? `?${text}` : "");
}
