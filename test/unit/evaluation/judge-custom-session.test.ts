import { expect, test } from "vitest";
import { semaphore } from "../../../lib/async/concurrency.ts";
import { newPairBits } from "../../../lib/domain/runs/pair-bits.ts";
import { noUsage } from "../../../lib/domain/runs/run.ts";
import { automatedSessionScore } from "../../../lib/domain/scores/automated-score.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { judgeCustomSession } from "../../../lib/evaluation/slices/judge-custom-session.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { unlimitedBudget } from "../../../lib/judge/spending/judge-budget.ts";
import type { Settled } from "../../../lib/store/runs/settled-pairs.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { seeded } from "../../support/random.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { span, trace } from "../judge/fixtures.ts";

const order = someOrder({ targetType: "SESSION", metrics: ["calm@1"] });
const row = (place: number) => ({
  traceId: `t${place}`,
  startedAt: "2026-10-01T00:00:00+00:00",
  incarnation: "i",
  expiresAt: null,
  contentVersion: 1,
});

/** Judges a session of some traces, the last of them a large one. */
const judgeSession = async (traces: number) => {
  const settlements: Settled[] = [];
  const shownTraces: Trace[] = [];
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace: shownTrace }) => {
      shownTraces.push(shownTrace);
      return { score: async () => ({ kind: "scored", value: 1, reason: "It is.", metadata: { level: "yes" } }) };
    },
  };
  const storedTrace = (id: string) => {
    const document = trace({ trace_id: id, spans: [span(`${id} step`)] });
    return { row: generateRow(seeded(1), 0), expiresAt: null, trace: document, document };
  };
  const slice = {
    runId: order.id,
    projectId: order.projectId,
    id: "a#0000",
    targets: ["s"],
    traces: [traces],
    bits: newPairBits([null], 1),
    example: null,
    usage: noUsage,
    state: "open" as const,
  };
  const work = {
    order,
    slice,
    target: 0,
    calls: semaphore(1),
    deadline: Date.now() + 60_000,
    canStart: () => true,
    budget: unlimitedBudget,
    settle: (settlement: Settled) => void settlements.push(settlement),
    defer: () => undefined,
    postpone: () => undefined,
  };
  const reader = {
    get: async (_: string, id: string) => storedTrace(id),
    readSmall: async (_: string, id: string) =>
      id === `t${traces - 1}` ? { kind: "large" as const } : { kind: "stored" as const, ...storedTrace(id) },
  };
  const rows = Array.from({ length: traces }, (_, place) => row(place));
  const place = { projectId: order.projectId, runId: order.id, target: "s" };
  await judgeCustomSession(work, [0], rows, { judge, traces: reader }, (metric, judgement) => ({
    score: automatedSessionScore({ ...place, metric }, judgement, null, "2026-10-02T00:00:00+00:00"),
    check: row(0),
  }));
  const steps = shownTraces.flatMap(({ spans }) => spans.map(({ span_id: id }) => id));
  return {
    steps,
    scores: settlements.map((settlement) => (settlement.kind === "pair" ? settlement.checkedScore?.score : null)),
  };
};

test("a judge is shown the newest fifty traces of a session, and the score says how many traces and which part were left out", async () => {
  const { steps, scores } = await judgeSession(53);

  expect(steps.filter((id) => !id.endsWith("step"))).toEqual(Array.from({ length: 50 }, (_, place) => `t${place + 3}`));
  expect(steps).toContain("t51 step");
  expect(steps).not.toContain("t52 step");
  expect(scores).toMatchObject([
    { value: "1.0", metadata: { level: "yes", traces_in_session: 53, traces_left_out: 3, traces_without_spans: 1 } },
  ]);
});

test("with few traces in a session, the score says only whose steps were left out", async () => {
  const { scores } = await judgeSession(2);

  expect(Object.keys(scores[0]?.metadata ?? {}).toSorted()).toEqual([
    "level",
    "metric_version",
    "traces_without_spans",
  ]);
});
