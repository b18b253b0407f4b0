import { expect, test } from "vitest";
import { automatedScoreId, automatedSessionScore } from "../../../lib/domain/scores/automated-score.ts";
import type { SessionSignal } from "../../../lib/domain/scores/score.ts";
import { aggregateSession } from "../../../lib/evaluation/slices/aggregate-session.ts";
import { newPairBits } from "../../../lib/domain/runs/pair-bits.ts";
import { noUsage } from "../../../lib/domain/runs/run.ts";
import { aggregateMetric } from "../../../lib/metrics/custom/aggregate-metric.ts";
import type { Settled } from "../../../lib/store/runs/settled-pairs.ts";
import { someOrder } from "../../support/runs/runs.ts";

const order = someOrder({ targetType: "SESSION", metrics: ["lowest@1", "average@3"] });

const metricOf = (name: string, operation: string) =>
  aggregateMetric(
    { name },
    {
      kind: "fold",
      targetType: "SESSION",
      description: "Folds.",
      threshold: 0.5,
      fold: { over: "polite", by: operation },
    },
  );

const row = (place: number) => ({
  traceId: `t${place}`,
  startedAt: "2026-10-01T00:00:00+00:00",
  incarnation: "i",
  expiresAt: null,
  contentVersion: 1,
});

const signal = (trace: string, value: number, score = "by hand"): SessionSignal => ({
  trace_id: trace,
  trace_version: 1,
  name: "polite",
  value,
  score_id: score,
  source: "ANNOTATION",
  judge: null,
  model: null,
  prompt_version: null,
});

/** Computes aggregate metrics for a session of some traces with the given scores. */
const aggregateScores = async (
  traces: number,
  scoreOf: (trace: string) => SessionSignal | null,
  { computed = new Map<string, SessionSignal[]>(), whole = true, canStart = (): boolean => true } = {},
) => {
  const settlements: Settled[] = [];
  const place = { projectId: order.projectId, runId: order.id, target: "s" };
  const [readTraces, resting]: [string[], string[][]] = [[], []];
  const slice = {
    runId: order.id,
    projectId: order.projectId,
    id: "a#0000",
    targets: ["s"],
    traces: [traces],
    bits: newPairBits([null], order.metrics.length),
    example: null,
    usage: noUsage,
    state: "open" as const,
  };
  const work = {
    order,
    slice,
    target: 0,
    canStart,
    settle: (settlement: Settled) => void settlements.push(settlement),
  };
  await aggregateSession({
    work,
    aggregates: [
      [0, metricOf("lowest", "min")],
      [1, metricOf("average", "mean")],
    ],
    rows: Array.from({ length: traces }, (_, place) => row(place)),
    computed,
    scores: {
      amongNewest: async (_, { traceId }, names) => {
        readTraces.push(`${traceId} ${names.join()}`);
        return { signals: new Map(names.map((name) => [name, scoreOf(traceId)])), isComplete: whole };
      },
    },
    scorerWith: (signals) => {
      resting.push(signals.map(({ trace_id: trace, score_id: id }) => `${trace} ${id}`));
      return (metric, judgement) => ({
        score: automatedSessionScore({ ...place, metric }, judgement, null, "2026-10-02T00:00:00+00:00"),
        check: row(0),
      });
    },
  });
  const scores = settlements.map((settlement) => (settlement.kind === "pair" ? settlement.checkedScore?.score : null));
  return { scores, readTraces, resting };
};

test("the newest hundred traces of a session are aggregated, each read once for all metrics, and the score says how many there are", async () => {
  const { scores, readTraces, resting } = await aggregateScores(130, (trace) =>
    signal(trace, trace === "t0" ? 0 : 0.75),
  );

  expect(readTraces).toEqual(Array.from({ length: 100 }, (_, place) => `t${place + 30} polite`));
  expect(resting.map(({ length }) => length)).toEqual([100, 100]);
  expect(scores).toMatchObject([
    {
      name: "lowest",
      value: "0.75",
      reason: "100 of the newest 100 of 130 traces have a score of polite; the lowest is 0.75, of trace t30.",
      metadata: {
        traces_in_session: 130,
        traces_left_out: 30,
        traces_scored: 100,
        success: true,
        cost_usd: 0,
        metric_version: 1,
      },
    },
    { name: "average", value: "0.75" },
  ]);
});

test("a trace whose scores were read only in part is reported where none of them counts", async () => {
  const { scores } = await aggregateScores(2, (trace) => (trace === "t1" ? signal(trace, 0.25) : null), {
    whole: false,
  });

  expect(scores[0]).toMatchObject({
    value: "0.25",
    reason:
      "1 of 2 traces has a score of polite; the lowest is 0.25, of trace t1. Of 1 of them only the newest scores were looked at.",
    metadata: { traces_partly_read: 1, success: false },
  });
});

test("a score that the run itself has just computed for a trace is aggregated, and no other field of its settlement", async () => {
  const scoreId = automatedScoreId(order.id, "t0", "polite");
  const computed = new Map([
    ["t0", [signal("t0", 1, scoreId)]],
    ["t1", [signal("t1", 1, "of another run")]],
  ]);
  const { scores, resting } = await aggregateScores(2, (trace) => (trace === "t1" ? signal(trace, 0.5) : null), {
    computed,
  });

  expect(scores).toMatchObject([{ value: "0.5" }, { value: "0.75" }]);
  expect(resting[0]).toEqual([`t0 ${scoreId}`, "t1 by hand"]);
});

test("nothing is settled where time runs out before all traces were read", async () => {
  let failuresLeft = 1;
  const { scores } = await aggregateScores(2, (trace) => signal(trace, 1), {
    canStart: () => (failuresLeft -= 1) >= 0,
  });

  expect(scores).toEqual([]);
});
