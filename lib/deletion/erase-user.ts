import { type Deletion, proofMilliseconds } from "../domain/access/deletion.ts";
import { epochOf } from "../domain/instant.ts";
import type { Database } from "../dynamo/database.ts";
import type { Erase } from "../dynamo/erase-items.ts";
import { eraseRunsOfUser, eraseSettingsOfUser } from "../store/erasure/settings.ts";
import { eraseItemsOfUser } from "../store/erasure/dataset-items.ts";
import { erasedTraces } from "../store/erasure/erased-traces.ts";
import { eraseTracesOfUser, purgeTracesOfUser } from "../store/erasure/traces.ts";
import { eraseSnapshots } from "../store/lake/snapshots.ts";
import { tracePurge } from "../store/garbage/purge.ts";
import { exclusiveSessions } from "../store/erasure/exclusive-sessions.ts";
import { eraseLabelsOfUser } from "../store/erasure/labels.ts";
import { eraseSessionScoresOfUser } from "../store/erasure/session-scores.ts";
import { scoreRemoval } from "../store/scores/removal.ts";

/**
 * Returns the erasers of a user of traces in their order, each with its unique name on the receipt. Settings that name the user come first,
 * since they begin new runs; then the traces, by whose records the others find what was made of them.
 */
export const userErasers = (
  database: Database,
  { id: pseudonym, projectId, requestedAt }: Pick<Deletion, "id" | "projectId" | "requestedAt">,
  now: () => number = Date.now,
): readonly (readonly [name: string, erase: Erase])[] => {
  const erased = erasedTraces(database, projectId ?? "", pseudonym, now);
  const exclusiveAmong = exclusiveSessions(database, erased);
  const user = { pseudonym, exclusiveAmong };
  const scores = scoreRemoval(database);
  const purge = tracePurge(database, (...incarnation) => scores.removeScoresOfTrace(...incarnation), now);
  return [
    ["settings", eraseSettingsOfUser(database, user)],
    ["traces", eraseTracesOfUser(database, pseudonym, erased, epochOf(requestedAt) + proofMilliseconds, now)],
    ["documents", purgeTracesOfUser(purge, erased)],
    ["session_scores", eraseSessionScoresOfUser(database, erased, exclusiveAmong, requestedAt, proofMilliseconds)],
    ["labels", eraseLabelsOfUser(database, erased)],
    ["dataset_items", eraseItemsOfUser(database, pseudonym, erased)],
    ["runs", eraseRunsOfUser(database, user, erased)],
    // Files for exports that were made while the traces existed; later ones are without them.
    ["exports", eraseSnapshots(database)],
  ];
};
