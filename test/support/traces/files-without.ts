import type { FileDays } from "../../../lib/store/traces/lists/file-days.ts";

/** Returns files of closed days that answer no question. */
export const filesWithout = (fields: Partial<FileDays>): FileDays => ({
  days: new Set(),
  traces: 0,
  changed: [],
  list: async () => null,
  figures: async () => null,
  values: async () => null,
  users: async () => null,
  usage: async () => null,
  sessions: async () => null,
  sessionFigures: async () => null,
  targets: async () => null,
  ...fields,
});
