import type { Database } from "../../dynamo/database.ts";
import { tracePurge } from "../garbage/purge.ts";
import { sessionPurge } from "../sessions/removal.ts";
import { scoreRemoval } from "./removal.ts";

/** Deleted trace or session whose remaining data must be purged. */
export type Removal =
  | { readonly kind: "trace"; readonly project: string; readonly trace: string; readonly incarnation: string }
  /** `at`: instant of the deletion, epoch milliseconds. */
  | { readonly kind: "session"; readonly project: string; readonly session: string; readonly at: number };

/** Removes the remaining data of a deleted trace or session; may be repeated, and continues after an interrupted call. */
export type PurgeRemoval = (removal: Removal) => Promise<void>;

export const removalPurge = (database: Database): PurgeRemoval => {
  const scores = scoreRemoval(database);
  const traces = tracePurge(database, (...incarnation) => scores.removeScoresOfTrace(...incarnation));
  const sessions = sessionPurge(database, (...session) => scores.removeScoresOfSession(...session));
  return (removal) =>
    removal.kind === "trace"
      ? traces.purge(removal.project, removal.trace, removal.incarnation)
      : sessions.purge(removal.project, removal.session, removal.at);
};
