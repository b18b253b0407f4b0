import { noUsage, noCounts, type JudgeUsage, type RunOrder, type RunStatus } from "../../../lib/domain/runs/run.ts";
import { batchWrite } from "../../../lib/dynamo/batches.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { packOrder, packUsage } from "../../../lib/store/runs/codec.ts";
import {
  failedRunsPartition,
  monitorRunsPartition,
  runKey,
  runListPartition,
  runOrder,
} from "../../../lib/store/runs/keys.ts";

/** A run with a status and without slices. */
export interface WrittenRun {
  readonly order: RunOrder;
  readonly status: RunStatus;
  /** Judge usage; none when absent. */
  readonly usage?: JudgeUsage;
  /** Micro-dollars in the month's totals; absent for a run of a build that counted none. */
  readonly counted?: number;
}

/** The DynamoDB item of a run. */
export const runItem = ({ order, status, usage = noUsage, counted }: WrittenRun) => ({
  ...runKey(order.projectId, order.id),
  kind: "run",
  d: packOrder(order),
  status,
  attempt: "written",
  slices: 0,
  slices_left: 0,
  ...noCounts,
  used: packUsage(usage),
  order_key: runOrder(order.createdAt, order.id),
  list_key: runListPartition(order.projectId, order.targetType),
  ...(counted !== undefined && { counted }),
  ...(status === "FAILED" && { open_key: failedRunsPartition(order.projectId, order.targetType) }),
  ...(order.monitorId !== null && { monitor_key: monitorRunsPartition(order.projectId, order.monitorId) }),
});

/** Writes run items in batches, in the form in which the store leaves them. */
export const writeRuns = async (database: Database, runs: readonly WrittenRun[]): Promise<void> => {
  const writes = runs.map((run) => ({ PutRequest: { Item: runItem(run) } }));
  const share = Math.ceil(writes.length / 8);
  const lanes = Array.from({ length: 8 }, (_, lane) => writes.slice(lane * share, (lane + 1) * share));
  await Promise.all(lanes.map((lane) => batchWrite(database, "runs", lane)));
};
