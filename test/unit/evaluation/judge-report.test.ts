import { expect, test } from "vitest";
import { judgeReport } from "../../../lib/evaluation/slices/judge-report.ts";
import { withLogContext } from "../../../lib/log-context.ts";
import type { Judge, TargetRequest } from "../../../lib/judge/judge.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import { publishedLines } from "../../support/published-lines.ts";

const used = (cost: number | null, attempts = 1) => ({
  attempts,
  tokens: { prompt: 10, completion: 2, cached: 0 },
  cost_usd: cost,
});
const scored = (cost: number | null, attempts?: number): Verdict => ({
  kind: "scored",
  value: 1,
  reason: "Good.",
  metadata: used(cost, attempts),
});
const deferred: Verdict = {
  kind: "deferred",
  code: "judge_unavailable",
  reason: "The provider is away.",
  retryAfter: null,
  metadata: {},
};
const failed: Verdict = { kind: "failed", code: "judge_refused", reason: "No.", metadata: used(0.5) };

/** Deliveries of one function; each runs the given work. */
const deliveries = () => {
  const report = judgeReport();
  let answers: Verdict[] = [];
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: () => ({
      score: async () => {
        const next = answers.shift();
        if (next === undefined) throw new Error("A bug.");
        return next;
      },
    }),
  };
  const watched = report.watched(judge);
  const deliver = report.published(async (times: number) => {
    const target = withLogContext({ run_id: "r" }, () => watched.target({ model: "openai/judge" } as TargetRequest));
    for (let time = 0; time < times; time += 1) await target.score("a", 0);
    return "over";
  });
  return async (verdicts: readonly Verdict[], times = verdicts.length) => {
    answers = [...verdicts];
    return publishedLines(() => deliver(times));
  };
};

test("a delivery publishes its calls and their cost, successful or not", async () => {
  const { lines, result } = await deliveries()([scored(0.25, 2), failed]);

  expect(await result).toBe("over");
  expect(lines).toMatchObject([
    {
      event: "judge_asked",
      run_id: "r",
      model: "openai/judge",
      JudgeCalls: 3,
      JudgeCost: 0.75,
      answered: 2,
      deferred: 0,
    },
  ]);
  expect(lines[0]).not.toHaveProperty("ProviderAway");
});

test("each delivery is counted separately, and a delivery without calls publishes nothing", async () => {
  const deliver = deliveries();
  await deliver([scored(1), deferred]);

  expect((await deliver([])).lines).toEqual([]);
  expect((await deliver([scored(0.5)])).lines).toMatchObject([{ JudgeCalls: 1, JudgeCost: 0.5, deferred: 0 }]);
});

test("an unknown cost is left out, not published as zero", async () => {
  const { lines } = await deliveries()([scored(null), scored(1)]);

  expect(lines).toMatchObject([{ JudgeCalls: 2 }]);
  expect(lines[0]).not.toHaveProperty("JudgeCost");
});

test("a provider that defers all calls counts as unavailable; a provider that answers any call does not", async () => {
  const deliver = deliveries();

  expect((await deliver([deferred, deferred])).lines).toMatchObject([{ ProviderAway: 1, deferred: 2, answered: 0 }]);
  expect((await deliver([deferred, scored(0)])).lines[0]).not.toHaveProperty("ProviderAway");
});

test("a delivery that throws has published its calls up to then", async () => {
  const { lines, result } = await deliveries()([scored(0.5)], 2);

  await expect(result).rejects.toThrow("A bug.");
  expect(lines).toMatchObject([{ JudgeCalls: 1, JudgeCost: 0.5 }]);
});
