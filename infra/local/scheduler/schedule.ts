import * as v from "valibot";
import { ServiceError } from "../host/json-server.ts";
import { nextFiring } from "./schedule-expression.ts";

const target = v.looseObject({
  Arn: v.string(),
  RoleArn: v.string(),
  Input: v.optional(v.string()),
  RetryPolicy: v.optional(
    v.object({ MaximumRetryAttempts: v.optional(v.number()), MaximumEventAgeInSeconds: v.optional(v.number()) }),
  ),
  DeadLetterConfig: v.optional(v.object({ Arn: v.optional(v.string()) })),
  SqsParameters: v.optional(v.object({ MessageGroupId: v.optional(v.string()) })),
});

/** Epoch seconds over the API, ISO 8601 in a template; epoch milliseconds come out. */
const date = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform((value) => (typeof value === "number" ? value * 1_000 : Date.parse(value))),
);

const definition = v.object({
  GroupName: v.optional(v.string(), "default"),
  ScheduleExpression: v.string(),
  ScheduleExpressionTimezone: v.optional(v.string(), "UTC"),
  StartDate: v.optional(date),
  EndDate: v.optional(date),
  Description: v.optional(v.string()),
  State: v.optional(v.picklist(["ENABLED", "DISABLED"]), "ENABLED"),
  FlexibleTimeWindow: v.object({ Mode: v.literal("OFF") }),
  ActionAfterCompletion: v.optional(v.picklist(["NONE", "DELETE"]), "NONE"),
  Target: target,
});

/** A schedule as it was asked for; dates in epoch milliseconds. */
export type ScheduleDefinition = v.InferOutput<typeof definition>;

/**
 * Reads a schedule of the template or of a call.
 *
 * @throws ServiceError ValidationException when it is none, or asks for what this Scheduler does not do.
 */
export const parseDefinition = (value: unknown): ScheduleDefinition => {
  const parsed = v.safeParse(definition, value);
  const refuse = (message: string): ServiceError => new ServiceError("ValidationException", message);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw refuse(`${v.getDotPath(issue) ?? "The schedule"}: ${issue.message}`);
  }
  try {
    nextFiring(parsed.output.ScheduleExpression, parsed.output.ScheduleExpressionTimezone, 0);
  } catch {
    throw refuse(`Invalid Schedule Expression ${parsed.output.ScheduleExpression}.`);
  }
  return parsed.output;
};

const never = Number.MAX_SAFE_INTEGER;

const untilItsEnd = ({ EndDate = never }: ScheduleDefinition, at: number | undefined): number =>
  at === undefined || at > EndDate ? never : at;

/** The first instant at which a schedule made now fires, epoch milliseconds; never is the largest safe integer. */
export const firstFiring = (schedule: ScheduleDefinition, now: number): number => {
  const { ScheduleExpression, ScheduleExpressionTimezone, StartDate } = schedule;
  const from = Math.max(StartDate ?? now, now);
  if (!ScheduleExpression.startsWith("rate")) {
    // An expression answers what comes after an instant; the start itself may be one.
    return untilItsEnd(schedule, nextFiring(ScheduleExpression, ScheduleExpressionTimezone, from - 1));
  }
  // A rate begins at its start, or at once.
  if (StartDate === undefined || StartDate >= now) return untilItsEnd(schedule, from);
  return followingFiring(schedule, StartDate, now);
};

/** The first instant after the one that fired, and after now: what was missed meanwhile is not made up. */
export const followingFiring = (schedule: ScheduleDefinition, fired: number, now: number): number => {
  const { ScheduleExpression, ScheduleExpressionTimezone } = schedule;
  const after = (from: number): number | undefined => nextFiring(ScheduleExpression, ScheduleExpressionTimezone, from);
  if (!ScheduleExpression.startsWith("rate")) return untilItsEnd(schedule, after(Math.max(fired, now)));
  // Counted from the instant that fired, so that rates do not drift.
  const period = (after(fired) ?? fired) - fired;
  return untilItsEnd(schedule, fired + Math.max(1, Math.floor((now - fired) / period) + 1) * period);
};
