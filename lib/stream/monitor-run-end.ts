import type { DynamoDBRecord } from "aws-lambda";
import * as v from "valibot";
import type { RunEnd } from "../domain/alerts/stopped.ts";
import { epochOf } from "../domain/instant.ts";
import { isTerminal, runStatuses } from "../domain/runs/run.ts";
import { monitorOfPartition } from "../store/runs/keys.ts";
import { newEvents } from "./outbox-records.ts";

/** The end of a run that a monitor has started, or of a retry of one, or the moment at which one waits or could not start. */
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
  monitor_key: v.optional(text),
  retried_monitor: v.optional(text),
  completed_at: text,
  scored: count,
  failed: count,
  lost: count,
  error_message: v.optional(v.union([text, v.object({ NULL: v.boolean() })])),
});

const endOf = ({ dynamodb }: DynamoDBRecord): readonly MonitorRunEnd[] => {
  const run = v.safeParse(endedRun, dynamodb?.NewImage);
  if (!run.success || !isTerminal(run.output.status.S)) return [];
  if (dynamodb?.OldImage?.["status"]?.S === run.output.status.S) return [];
  const {
    pk,
    monitor_key: key,
    retried_monitor,
    completed_at,
    scored,
    failed,
    lost,
    error_message: message,
  } = run.output;
  const monitor = key === undefined ? retried_monitor?.S : monitorOfPartition(key.S);
  // A retry judges some pairs only: it can show that evaluation works again, not that it has stopped.
  if (monitor === undefined || (key === undefined && scored === 0)) return [];
  return [
    {
      project: pk.S.slice(0, pk.S.indexOf("#")),
      monitor,
      at: epochOf(completed_at.S),
      scored,
      failed: failed - lost,
      message: message !== undefined && "S" in message ? message.S : null,
    },
  ];
};

/** Kinds of events that say why a run of a monitor cannot go on. */
const blockingKinds: ReadonlySet<string> = new Set(["run.waiting", "judge.unavailable", "monitor.failed"]);

const blockedRun = v.object({
  monitor_id: v.string(),
  model: v.optional(v.string()),
  reason: v.optional(v.string()),
});

/**
 * Returns the ends of monitors' runs, and new events that say why one cannot go on, from stream records of the runs table.
 */
export const monitorRunEnds = (records: readonly DynamoDBRecord[]): readonly MonitorRunEnd[] => {
  const blocks = newEvents(records).flatMap(({ kind, projectId, time, fields }): readonly MonitorRunEnd[] => {
    const { output, success } = v.safeParse(blockedRun, fields);
    if (!success || !blockingKinds.has(kind)) return [];
    const {
      monitor_id: monitor,
      model = "",
      reason = `The judge model ${model} has not answered for 15 minutes.`,
    } = output;
    return [{ project: projectId, monitor, at: epochOf(time), scored: 0, failed: 0, message: reason, isBlocked: true }];
  });
  return [...records.flatMap(endOf), ...blocks];
};
