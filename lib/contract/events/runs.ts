import * as v from "valibot";
import { monthlyCeilingKinds } from "../../domain/runs/budget.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { integer, oneOf, uuid } from "../schema/fields.ts";
import { described, eventInstant, eventKind, exampleId, exampleTime } from "./event.ts";

const run = {
  run_id: uuid,
  run_name: v.nullable(v.string()),
  monitor_id: described(v.nullable(uuid), "Monitor that started the run; null for none."),
  target_type: oneOf(targetTypes),
  total_targets: integer,
  missing_count: described(integer, "Targets that no longer existed."),
  scored_count: described(integer, "Pairs of target and metric with a score."),
  failed_count: described(integer, "Pairs of target and metric without a score."),
  cost_usd: described(v.nullable(v.number()), "Cost of the judge calls; null if a price is unknown."),
  created_at: eventInstant,
};

const waitingFields = {
  run_id: uuid,
  monitor_id: run.monitor_id,
  model: described(v.string(), "The run's judge model."),
  waiting_since: eventInstant,
};

const waitingExample = {
  page: "runs/00000000-0000-4000-8000-000000000004",
  run_id: exampleId(4),
  monitor_id: null,
  model: "openai/gpt-5-mini",
  waiting_since: exampleTime,
};

const runExample = {
  page: "runs/00000000-0000-4000-8000-000000000004",
  run_id: exampleId(4),
  run_name: null,
  monitor_id: null,
  target_type: "TRACE",
  total_targets: 100,
  missing_count: 0,
  scored_count: 199,
  failed_count: 1,
  cost_usd: 0.42,
  created_at: exampleTime,
};

export const runCompleted = eventKind(
  "RunCompletedEvent",
  "A run ended with scores, or had nothing to do.",
  run,
  runExample,
);

export const runFailed = eventKind("RunFailedEvent", "A run ended without a score.", run, {
  ...runExample,
  scored_count: 0,
  failed_count: 200,
  cost_usd: 0,
});

export const judgeUnavailable = eventKind(
  "JudgeUnavailableEvent",
  "A run has waited 15 minutes for a judge that does not answer; once a day for each run.",
  waitingFields,
  waitingExample,
);

export const runWaiting = eventKind(
  "RunWaitingEvent",
  "A run waits because what is spent or reserved has reached a monthly ceiling; once a day at most for each run.",
  { ...waitingFields, reason: described(v.string(), "Which ceiling is reached.") },
  { ...waitingExample, reason: "The project's ceiling of $100 for this month is reached." },
);

export const spendThresholdReached = eventKind(
  "SpendThresholdReachedEvent",
  "What is spent or reserved of a monthly ceiling reached 50, 80 or 100 percent of it; once a month for each.",
  {
    ceiling: described(oneOf(monthlyCeilingKinds), "Whose ceiling it is; `project_id` is the project that reached it."),
    month: described(v.string(), "Calendar month in UTC."),
    percent: described(integer, "50, 80 or 100. At 100 nothing more can be judged, and runs wait."),
    ceiling_usd: v.number(),
    used_usd: described(v.number(), "US dollars that are spent or reserved."),
  },
  { page: "settings", ceiling: "project", month: "2026-11", percent: 80, ceiling_usd: 100, used_usd: 80.02 },
);
