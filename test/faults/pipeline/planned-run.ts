import { randomUUID } from "node:crypto";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { RunOrder, RunTarget } from "../../../lib/domain/runs/run.ts";
import { sessionMetricNames } from "../../../lib/metrics/session/catalogue.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import type { Random } from "../../support/random.ts";
import { decisionModel } from "./scripted-judge.ts";
import { someTrace } from "../../support/traces/traces.ts";

/** A run's order and targets as known to its creator. */
export interface PlannedRun {
  readonly order: RunOrder;
  readonly targets: readonly RunTarget[];
  /** Trace ids of each session of the run, by session id. */
  readonly sessions: ReadonlyMap<string, readonly string[]>;
}

/** A project with traces that no schedule changes, shared by all schedules. */
export interface Pool {
  readonly project: string;
  readonly traces: readonly string[];
}

const orderOf = (
  project: string,
  start: number,
  targets: readonly RunTarget[],
  fields: Pick<RunOrder, "targetType" | "metrics" | "sequential"> & Partial<RunOrder>,
): RunOrder => ({
  id: randomUUID(),
  projectId: project,
  name: null,
  filters: {},
  samplingRate: 1,
  model: null,
  resolvedModel: "scripted/judge",
  monitorId: null,
  retryOf: null,
  signalWeights: null,
  tier: "standard",
  maxCostUsd: null,
  total: targets.length,
  createdAt: instantAt(start),
  emptyMessage: targets.length === 0 ? "No traces match the provided filters." : null,
  ...fields,
});

/** Indexes of a random subset of a run's metrics, as in a retry; null means all. */
const someMetrics = (random: Random, metrics: number): readonly number[] | null => {
  const selectedMetrics = Array.from({ length: metrics }, (_, metric) => metric).filter(() => random.chance(0.5));
  return selectedMetrics.length === 0 || selectedMetrics.length === metrics ? null : selectedMetrics;
};

/** Judges of a run in which a second one is asked about the uncertain verdicts of the first, or about a share of its pairs. */
const cascadeOf = (random: Random): Pick<RunOrder, "judge" | "resolvedModel"> | undefined => {
  if (!random.chance(0.3)) return undefined;
  const when = { confidence_below: 0.5, coverage_below: null };
  const escalate = { to: "scripted/judge", when, at_most: random.pick([1, 1, 0.5, 0.25]) };
  return { resolvedModel: decisionModel, judge: { first: decisionModel, escalate } };
};

/** Plans a run of stored traces, traces that never existed, and traces that are deleted while the run is evaluated. */
export const planTraces = (random: Random, pool: Pool, deletedTraces: readonly string[], start: number): PlannedRun => {
  const metrics = Array.from({ length: random.pick([1, 2, 3, 10, 25, 50, 50]) }, (_, index) => `metric_${index}`);
  const pairs = random.between(0, random.pick([12, 40, 120]));
  const traceCount = Math.min(pool.traces.length, Math.ceil(pairs / metrics.length));
  const first = random.below(pool.traces.length - traceCount + 1);
  const missing = Array.from({ length: random.chance(0.3) ? random.below(4) : 0 }, () => randomUUID());
  const isRetry = random.chance(0.25);
  const targets = [...pool.traces.slice(first, first + traceCount), ...missing, ...deletedTraces]
    .toSorted()
    .map((id): RunTarget => ({ id, metrics: isRetry ? someMetrics(random, metrics.length) : null, traces: 0 }));
  const order = orderOf(pool.project, start, targets, {
    targetType: "TRACE",
    metrics,
    sequential: random.chance(0.25),
    ...cascadeOf(random.fork("cascade")),
  });
  return { order, targets, sessions: new Map() };
};

/** Plans a run of a few new sessions, and sometimes one without traces. */
export const planSessions = async (
  database: Database,
  random: Random,
  { project }: Pool,
  start: number,
): Promise<PlannedRun> => {
  const sessions = new Map<string, readonly string[]>();
  for (let remaining = random.between(1, 3); remaining > 0; remaining -= 1) {
    const session_id = `session ${randomUUID()}`;
    const traces = Array.from({ length: random.between(1, 6) }, (_, index) =>
      someTrace({ session_id, started_at: `2026-10-01T10:00:0${index}+00:00` }),
    );
    await saveTraces(database, project, traces);
    sessions.set(
      session_id,
      traces.map(({ trace_id }) => trace_id),
    );
  }
  const existingSessions = [...sessions].map(([id, traces]): RunTarget => ({
    id,
    metrics: null,
    traces: traces.length,
  }));
  const emptySessions = random.chance(0.3) ? [{ id: `nowhere ${randomUUID()}`, metrics: null, traces: 0 }] : [];
  const targets = [...existingSessions, ...emptySessions];
  const order = orderOf(project, start, targets, {
    targetType: "SESSION",
    metrics: sessionMetricNames,
    sequential: false,
  });
  return { order, targets, sessions };
};

/** Names of the metrics by which a run evaluates a target. */
export const metricsOfTarget = ({ order }: PlannedRun, { metrics }: RunTarget): readonly string[] =>
  metrics === null ? order.metrics : metrics.map((metric) => order.metrics[metric] ?? "");
