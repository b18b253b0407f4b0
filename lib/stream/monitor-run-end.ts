import type { DynamoDBRecord } from "aws-lambda";
import * as v from "valibot";
import type { RunEnd } from "../domain/alerts/stopped.ts";
import { epochOf } from "../domain/instant.ts";
import { isTerminal, runStatuses } from "../domain/runs/run.ts";
import { monitorOfPartition } from "../store/runs/keys.ts";

/** The end of a run that a monitor has started. */
export interface MonitorRunEnd extends RunEnd {
  readonly project: string;
  readonly monitor: string;
}

const text = v.object({ S: v.string() });
const count = v.pipe(
  v.object({ N: v.string() }),
  v.transform(({ N }) => Number(N)),
);

const endedRun = v.object({
  pk: text,
  status: v.object({ S: v.picklist(runStatuses) }),
  monitor_key: text,
  completed_at: text,
  scored: count,
  failed: count,
  lost: count,
  error_message: v.optional(v.union([text, v.object({ NULL: v.boolean() })])),
});

/** Returns the end of a monitor's run in a stream record of the runs table; null if the record has none. */
export const monitorRunEnd = ({ dynamodb }: DynamoDBRecord): MonitorRunEnd | null => {
  const run = v.safeParse(endedRun, dynamodb?.NewImage);
  if (!run.success || !isTerminal(run.output.status.S)) return null;
  if (dynamodb?.OldImage?.["status"]?.S === run.output.status.S) return null;
  const { pk, monitor_key, completed_at, scored, failed, lost, error_message: message } = run.output;
  return {
    project: pk.S.slice(0, pk.S.indexOf("#")),
    monitor: monitorOfPartition(monitor_key.S),
    at: epochOf(completed_at.S),
    scored,
    failed: failed - lost,
    message: message !== undefined && "S" in message ? message.S : null,
  };
};
