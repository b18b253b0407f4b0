import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import { createJudge } from "../../../lib/judge/create-judge.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Price } from "../../../lib/judge/prices/price.ts";
import type { Purse } from "../../../lib/judge/spending/purse.ts";
import { defaultTranscripts } from "../../../lib/judge/transcript/transcript-settings.ts";
import { judgedMetrics } from "../../../lib/metrics/trace/definitions.ts";
import type { Database } from "../../../lib/store/database.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { alone } from "../../support/runs/alone.ts";
import { startBillingJudge, type BillingScript } from "../../support/runs/billing-judge.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";
import { targetsOf } from "../runs/targets-fixture.ts";

/** A run under a ceiling, and the judge it has. */
export interface CeilingScenario {
  readonly traces: number;
  readonly metrics: readonly string[];
  readonly text: (trace: number) => string;
  readonly price: Price;
  readonly script: BillingScript;
  /** US dollars; null: none. */
  readonly ceiling: number | null;
  /** Judgements at a time in a slice. */
  readonly calls: number;
  /** Pictures in each trace, which the judge is sent. */
  readonly pictures: number;
  /** Whether all slices are worked on at once. */
  readonly together: boolean;
}

const model = "openai/judge";
const pictureOf = (_: unknown, index: number): string =>
  `data:image/png;base64,iVBORw0KGgoA${String.fromCodePoint(65 + index).repeat(400)}`;

const functionMilliseconds = 175_000;

/**
 * Runs a scenario to its end: slices in parallel or one after the other, with a clock that waits cost nothing on. `least` is
 * what the code says that the dearest judgement needs to begin, US dollars; 0 without a ceiling.
 */
export const runUnderCeiling = async (database: Database, scenario: CeilingScenario) => {
  const { traces, metrics, text, price, script, ceiling, calls, pictures, together } = scenario;
  const fake = await startBillingJudge(price, script);
  try {
    const run = await storedRun(database, traces, metrics, { maxCostUsd: ceiling, resolvedModel: model }, (index) => ({
      input: { question: text(index), pictures: Array.from({ length: pictures }, pictureOf) },
      output: { answer: text(index + 1) },
    }));
    let at = Date.now();
    const now = (): number => at;
    const judge = createJudge({
      metrics: judgedMetrics,
      providers: { openai: { key: "/key", baseUrl: "/base-url" } },
      parameter: async (name) => (name === "/key" ? "sk-test-0123456789abcdef" : fake.url),
      prices: new Map([[model, price]]),
      transcripts: { ...defaultTranscripts, pictures: { [model]: pictures } },
      pace: {
        now,
        random: () => 0.5,
        longestCall: 30_000,
        // A wait with a signal is the guard of the deadline.
        sleep: (_, signal) =>
          new Promise((resolve) => {
            if (signal === undefined) resolve();
            else signal.addEventListener("abort", () => resolve(), { once: true });
          }),
      },
    });
    let least = 0;
    /** Takes note of what the judge's questions need to have set aside. */
    const noted = (purse: Purse): Purse => ({
      setAside: (want) => {
        least = Math.max(least, want.least);
        return purse.setAside(want);
      },
    });
    const noting: Judge = {
      ...judge,
      target: (request) => {
        const target = judge.target(request);
        return {
          ...target,
          score: (metric, deadline, purse) =>
            target.score(metric, deadline, ceiling === null || purse === undefined ? purse : noted(purse)),
        };
      },
    };
    const runs = runStore(database, now);
    const evaluate = sliceEvaluation({
      runs,
      slices: sliceStore(database, now),
      settlement: settling(database, now),
      inTurn: alone,
      targets: targetsOf(database, noting, now),
      judge: noting,
      spending: {
        spend: spendStore(database, now),
        priceOf: () => price,
        ceilings: { project: null, organization: null, deployment: null },
        organizationOf: async () => null,
      },
      calls,
      now,
    });
    const due = new Map(run.slices.map((slice) => [slice, at]));
    for (let round = 0; due.size > 0 && round < 500; round += 1) {
      at = Math.max(at, Math.min(...due.values()));
      const ready = [...due].filter(([, until]) => until <= at).map(([slice]) => slice);
      await Promise.all(
        ready.slice(0, together ? undefined : 1).map(async (slice) => {
          const message = { project: run.order.projectId, run: run.order.id, slice };
          const result = await evaluate(message, at + functionMilliseconds);
          if ("at" in result) due.set(slice, Math.max(result.at, at + 1));
          else due.delete(slice);
        }),
      );
    }
    const ended = await run.runs.get(run.order.projectId, run.order.id);
    if (ended === null) throw new Error("The run is gone.");
    return { run: ended, billed: fake.billed(), prompts: fake.prompts(), least };
  } finally {
    await fake.close();
  }
};
