import * as v from "valibot";
import { ServiceError } from "../host/json-server.ts";
import { nextFiring } from "./schedule-expression.ts";

const targetSchema = v.looseObject({
  Arn: v.string(),
  RoleArn: v.string(),
  Input: v.optional(v.string()),
  RetryPolicy: v.optional(
    v.object({ MaximumRetryAttempts: v.optional(v.number()), MaximumEventAgeInSeconds: v.optional(v.number()) }),
  ),
  DeadLetterConfig: v.optional(v.object({ Arn: v.optional(v.string()) })),
  SqsParameters: v.optional(v.object({ MessageGroupId: v.optional(v.string()) })),
});

/** Parses a date (epoch seconds in API requests, ISO 8601 in templates) to epoch milliseconds. */
const dateSchema = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform((value) => (typeof value === "number" ? value * 1_000 : Date.parse(value))),
);

const definitionSchema = v.object({
  GroupName: v.optional(v.string(), "default"),
  ScheduleExpression: v.string(),
  ScheduleExpressionTimezone: v.optional(v.string(), "UTC"),
  StartDate: v.optional(dateSchema),
  EndDate: v.optional(dateSchema),
  Description: v.optional(v.string()),
  State: v.optional(v.picklist(["ENABLED", "DISABLED"]), "ENABLED"),
  FlexibleTimeWindow: v.object({ Mode: v.literal("OFF") }),
  ActionAfterCompletion: v.optional(v.picklist(["NONE", "DELETE"]), "NONE"),
  Target: targetSchema,
});

/** A schedule as requested, with defaults filled in; dates in epoch milliseconds. */
export type ScheduleDefinition = v.InferOutput<typeof definitionSchema>;

/**
 * Parses a schedule of the template or of an API request.
 *
 * @throws ServiceError ValidationException when the schedule is invalid or needs an unsupported feature
 */
export const parseDefinition = (value: unknown): ScheduleDefinition => {
  const parsed = v.safeParse(definitionSchema, value);
  const validationError = (message: string): ServiceError => new ServiceError("ValidationException", message);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw validationError(`${v.getDotPath(issue) ?? "The schedule"}: ${issue.message}`);
  }
  try {
    nextFiring(parsed.output.ScheduleExpression, parsed.output.ScheduleExpressionTimezone, 0);
  } catch {
    throw validationError(`Invalid Schedule Expression ${parsed.output.ScheduleExpression}.`);
  }
  return parsed.output;
};

const never = Number.MAX_SAFE_INTEGER;

const neverAfterEnd = ({ EndDate = never }: ScheduleDefinition, at: number | undefined): number =>
  at === undefined || at > EndDate ? never : at;

/** Computes the first firing of a schedule created now, in epoch milliseconds; `Number.MAX_SAFE_INTEGER` if it never fires. */
export const firstFiring = (schedule: ScheduleDefinition, now: number): number => {
  const { ScheduleExpression, ScheduleExpressionTimezone, StartDate } = schedule;
  const from = Math.max(StartDate ?? now, now);
  if (!ScheduleExpression.startsWith("rate")) {
    // `nextFiring` excludes its start instant, but the start date itself may be a firing.
    return neverAfterEnd(schedule, nextFiring(ScheduleExpression, ScheduleExpressionTimezone, from - 1));
  }
  // A rate schedule fires first at its start date, or immediately.
  if (StartDate === undefined || StartDate >= now) return neverAfterEnd(schedule, from);
  return followingFiring(schedule, StartDate, now);
};

/** Computes the firing after `firedAt` that is also after now; missed firings are skipped. Epoch milliseconds. */
export const followingFiring = (schedule: ScheduleDefinition, firedAt: number, now: number): number => {
  const { ScheduleExpression, ScheduleExpressionTimezone } = schedule;
  const firingAfter = (from: number): number | undefined =>
    nextFiring(ScheduleExpression, ScheduleExpressionTimezone, from);
  if (!ScheduleExpression.startsWith("rate")) return neverAfterEnd(schedule, firingAfter(Math.max(firedAt, now)));
  // Computed from the scheduled instant, so that rates do not drift.
  const period = (firingAfter(firedAt) ?? firedAt) - firedAt;
  return neverAfterEnd(schedule, firedAt + Math.max(1, Math.floor((now - firedAt) / period) + 1) * period);
};
