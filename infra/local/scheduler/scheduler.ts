import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { join } from "node:path";
import { type Background, repeat } from "../host/background.ts";
import type { NoteFailure } from "../host/failure-log.ts";
import { readJson, writeJson } from "../host/json-file.ts";
import type { Asynchronous } from "../lambda/asynchronous.ts";
import { queueUrl } from "../sqs/sqs.ts";
import { arn, arnService } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { nextFiring } from "./schedule-expression.ts";

/** What the Scheduler delivers to. */
export interface Targets {
  readonly calls: Asynchronous;
  readonly sqs: SQSClient;
  readonly sqsUrl: string;
  readonly noteFailure: NoteFailure;
}

interface ScheduleProperties {
  readonly ScheduleExpression: string;
  readonly ScheduleExpressionTimezone?: string;
  readonly GroupName?: string;
  readonly State?: string;
  readonly Target: {
    readonly Arn: string;
    readonly Input?: string;
    readonly SqsParameters?: { readonly MessageGroupId?: string };
  };
}

interface Schedule {
  readonly name: string;
  readonly properties: ScheduleProperties;
}

const tickMs = 1_000;

const inputOf = ({ name, properties: { GroupName = "default", Target } }: Schedule, at: number): string => {
  const values: Readonly<Record<string, string>> = {
    "schedule-arn": arn("scheduler", `schedule/${GroupName}/${name}`),
    "scheduled-time": new Date(at).toISOString().replace(/\.\d+Z$/, "Z"),
    "execution-id": crypto.randomUUID(),
    "attempt-number": "1",
  };
  return (Target.Input ?? "{}").replace(/<aws\.scheduler\.([\w-]+)>/g, (whole, key: string) => values[key] ?? whole);
};

const deliver = async (schedule: Schedule, at: number, { calls, sqs, sqsUrl }: Targets): Promise<void> => {
  const { Arn, SqsParameters } = schedule.properties.Target;
  const input = inputOf(schedule, at);
  if (arnService(Arn) === "lambda") calls.send(Arn, JSON.parse(input));
  else
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl(sqsUrl, Arn),
        MessageBody: input,
        MessageGroupId: SqsParameters?.MessageGroupId,
      }),
    );
};

/**
 * EventBridge Scheduler: fires the template's schedules at queues and functions. What is due while the runtime is stopped
 * fires once when it starts again; the next instants are kept in `schedules.json`.
 *
 * Does not do: its REST API, start and end dates, flexible windows, groups beyond their name, retries and dead letters of
 * its own, targets other than queues and functions.
 */
export const startScheduler = (directory: string, resolver: Resolver, targets: Targets): Background => {
  const path = join(directory, "schedules.json");
  const next = new Map(Object.entries(readJson<Record<string, number>>(path) ?? {}));
  const schedules = resolver
    .resources("AWS::Scheduler::Schedule")
    .map(({ id, properties }) => ({
      name: resolver.nameOf(id),
      properties: properties as unknown as ScheduleProperties,
    }))
    .filter(({ properties }) => properties.State !== "DISABLED");

  const dueAt = ({ properties }: Schedule, from: number): number =>
    nextFiring(properties.ScheduleExpression, properties.ScheduleExpressionTimezone ?? "UTC", from) ??
    Number.MAX_SAFE_INTEGER;

  return repeat(
    async () => {
      const now = Date.now();
      for (const schedule of schedules) {
        // A rate's first firing is immediate.
        const first = schedule.properties.ScheduleExpression.startsWith("rate") ? now : dueAt(schedule, now);
        const at = next.get(schedule.name) ?? first;
        if (at > now) {
          next.set(schedule.name, at);
          continue;
        }
        // From the instant that was due, so that rates do not drift; from now when that is already past.
        const following = dueAt(schedule, at);
        next.set(schedule.name, following > now ? following : dueAt(schedule, now));
        writeJson(path, Object.fromEntries(next));
        await deliver(schedule, at, targets).catch((error: unknown) => targets.noteFailure(schedule.name, error));
      }
      return tickMs;
    },
    (error) => targets.noteFailure("scheduler", error),
  );
};
