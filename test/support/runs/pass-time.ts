import { epochOf, instantAt } from "../../../lib/domain/instant.ts";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { succeeds } from "../../../lib/dynamo/failure.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { packOrder, unpackRun } from "../../../lib/store/runs/codec.ts";
import { dueKey, runKey, runPartition, slicePrefix } from "../../../lib/store/runs/keys.ts";
import { leaseMilliseconds } from "../../../lib/store/runs/slices.ts";

/**
 * Moves the instants of a run into the past by milliseconds: its creation, the leases and pauses of its open slices, their sends, and
 * the run's next check. What a sweep or a worker changes meanwhile stays as it is. No worker that is alive may have one of its slices.
 */
export const passTime = async (database: Database, { id, project_id }: EvalRun, by: number): Promise<void> => {
  const runs = itemsOf(database, "runs");
  // A slice that a worker claims after this is not moved.
  const latest = Date.now() + leaseMilliseconds;
  const { order } = unpackRun((await runs.get(runKey(project_id, id))) ?? {}).run;
  const earlier = packOrder({ ...order, createdAt: instantAt(epochOf(order.createdAt) - by) });
  await runs.update(runKey(project_id, id), "SET d = :d", { values: { ":d": earlier } });
  const slices = runs.query({ pk: runPartition(project_id, id), prefix: slicePrefix });
  for await (const { pk, sk, state, until, sent } of slices) {
    if (state !== "open" || Number(until) > latest) continue;
    const change = `SET #until = :until${sent === undefined ? "" : ", sent = :sent"}`;
    const values = { ":read": until, ":until": Number(until) - by, ":sent": Number(sent) - by };
    await succeeds(runs.update({ pk, sk }, change, { when: "#until = :read", values }));
  }
  const check = await runs.get(dueKey(project_id, id));
  if (check === undefined) return;
  const values = { ":at": instantAt(epochOf(String(check["due_at"])) - by) };
  await succeeds(runs.update(dueKey(project_id, id), "SET due_at = :at", { when: "attribute_exists(due_at)", values }));
};
