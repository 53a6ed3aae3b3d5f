// Names of batteries.

import type { BatteryLine } from "../types.ts";

/** The programs of all files have a name of their own; other batteries have that of their file. */
export const batteryName = ({ id, name }: BatteryLine): string => (id === "shelf" ? "All programs of files" : name);
