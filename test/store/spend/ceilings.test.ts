import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chargedOf } from "../../../lib/domain/runs/run.ts";
import type { ReportedUsage, ScriptedReply } from "../../support/runs/billing-judge.ts";
import { seededFaults } from "../../support/faults/seeded-faults.ts";
import type { DecisionReply } from "../../support/runs/fake-decisions.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { runsAllCases } from "../../support/sample.ts";
import { runUnderCeiling, type CeilingScenario, type ScriptedDecisions } from "./ceiling-fixture.ts";
import { dearestJudgement } from "./judgement-bound.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Number of random ceilings of the first property; the second one, whose workers die, uses a fifth of it, the third one, with longer runs, two fifths. `npm run ceilings` uses more. */
const ceilingCount = Number(process.env["CEILINGS"] ?? (runsAllCases ? 50 : 10));
const seed = Number(process.env["CEILINGS_SEED"] ?? freshSeed());
const runOptions = (numRuns: number) => ({ numRuns, seed, endOnFailure: true });
if (process.env["CEILINGS"] !== undefined) process.stderr.write(`${ceilingCount} ceilings, seed ${seed}\n`);

/** Writing systems of the judged texts, with their characters per token in real tokenizers. */
const scripts = {
  latin: { signs: "the agent looked up order 1042 and wrote: it left on Monday. ", perToken: 3.3 },
  chinese: { signs: "订单已经发货预计明天到达请确认收货地址", perToken: 1.65 },
  japanese: { signs: "ご注文の商品は月曜日に発送されました。", perToken: 1.47 },
  base64: { signs: "iVBORw0KGgoAAAANSUhEUgAAAAUA9f3Qx7+/", perToken: 2.06 },
  emoji: { signs: "🧾📦🚚👩🏽‍💻", perToken: 0.6 },
} as const;
type ScriptName = keyof typeof scripts;

/** Builds texts of one writing system, or of all in turn. */
const textOf = (script: ScriptName | "mixed", length: number) => {
  const signs =
    script === "mixed"
      ? Object.values(scripts)
          .map((each) => each.signs)
          .join(" ")
      : scripts[script].signs;
  return (trace: number): string => {
    const from = (trace * 7) % signs.length;
    return (signs.slice(from) + signs.repeat(Math.ceil(length / signs.length))).slice(0, length).toWellFormed();
  };
};

const metricSets = [
  ["task_completion"],
  ["confidence", "tool_correctness"],
  ["plan_adherence", "plan_quality"],
  ["task_completion", "tool_correctness", "argument_correctness", "plan_quality", "step_efficiency"],
] as const;

/** A price of tokens; some cost nothing. */
const priceBetween = (min: number, max: number) =>
  fc.oneof({ arbitrary: fc.constant(0), weight: 1 }, { arbitrary: fc.double({ min, max, noNaN: true }), weight: 4 });

const price = fc.record({
  input: priceBetween(0.05, 20),
  cached: priceBetween(0.005, 2),
  output: priceBetween(0.1, 100),
});

const setting = fc.record({
  script: fc.constantFrom<ScriptName | "mixed">("latin", "chinese", "japanese", "base64", "emoji", "mixed"),
  length: fc.integer({ min: 10, max: 12_000 }),
  metrics: fc.constantFrom(...metricSets),
  price: price.map(({ input, cached, output }) => ({ input, cached: Math.min(cached, input), output, written: input })),
  calls: fc.integer({ min: 1, max: 20 }),
  pictures: fc.constantFrom(0, 0, 0, 1, 3),
  // Tokens of an image: usually few, often 1,500, and the known maximum.
  pictureTokens: fc.constantFrom(200, 1500, 48_169),
  together: fc.boolean(),
  /** Judges: a chat model, a decision model, or both. */
  judges: fc.constantFrom("chat", "chat", "decisions", "cascade"),
  seed: fc.integer(),
});

type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never;

const scenarioOf = (
  { script, length, metrics, price: tokenPrice, calls, pictures, pictureTokens, together }: Setting,
  pairs: number,
  says: (call: number) => ScriptedReply,
  tokensOf: (text: string) => number,
  cachedShare = 0,
): CeilingScenario => ({
  traces: Math.ceil(pairs / metrics.length),
  metrics,
  text: textOf(script, length),
  price: tokenPrice,
  script: { promptTokens: tokensOf, pictureTokens, cached: (tokens) => Math.floor(tokens * cachedShare), says },
  ceiling: null,
  calls,
  pictures,
  together,
});

/** A ceiling, US dollars, that limits no run, so that the total cost and the largest reservation are known. */
const ample = 1_000_000;

/** A setting whose run exceeds its ceiling if a call is estimated at half of its maximum cost. */
const closeToCeiling: [Setting, share: number] = [
  {
    script: "chinese",
    length: 986,
    metrics: metricSets[0],
    price: {
      input: 1.1731749141397265,
      cached: 1.1731749141397265,
      output: 2.3994646214550484,
      written: 1.1731749141397265,
    },
    calls: 9,
    pictures: 0,
    pictureTokens: 48_169,
    together: true,
    judges: "chat",
    seed: -153_529_968,
  },
  0.07226441627544707,
];

/** A setting whose run exceeds its ceiling if a call is repeated without a look at what is left, as output costs nothing. */
const freeOutput: [Setting, share: number] = [
  {
    script: "emoji",
    length: 6365,
    metrics: metricSets[3],
    price: { input: 0.17084558491661922, cached: 0.17084558491661922, output: 0, written: 0.17084558491661922 },
    calls: 1,
    pictures: 0,
    pictureTokens: 1500,
    together: true,
    judges: "chat",
    seed: -770_027_357,
  },
  0.059041695547882064,
];

/** Reports of usage whose halves are missing or impossible, and one that is whole. */
const lyingUsages: readonly [ReportedUsage, ...ReportedUsage[]] = [
  {},
  ...[undefined, null, 0, -5, 0.5, "12"].flatMap((count) => [
    { prompt_tokens: count },
    { completion_tokens: count },
    { prompt_tokens: count, completion_tokens: count },
  ]),
];

/** A run of twelve pairs whose judges answer at any length, lie about their usage, fail, and bill what they do not answer. */
const hostileScenario = (runSetting: Setting): CeilingScenario => {
  const random = seeded(runSetting.seed);
  const longest = random.pick([50, 900, 8000, 60_000]);
  // With mostly endless answers, a run costs nearly everything that is reserved for it.
  const endless = random.pick([0.1, 0.9]);
  const gateway = random.pick([0, 0.1, 0.9]);
  const usages: typeof lyingUsages = random.chance(0.5) ? [{}] : lyingUsages;
  const says = (): ScriptedReply => {
    if (random.chance(endless)) return { kind: "endless" };
    if (random.chance(0.1)) return { kind: "error", status: random.pick([400, 429, 500, 503]) };
    if (random.chance(gateway))
      return { kind: "billed-error", status: random.pick([500, 502, 503, 504]), tokens: 1 + random.below(longest) };
    if (random.chance(0.05)) return { kind: "lost", tokens: random.below(longest) };
    if (random.chance(0.1)) return { kind: "error-within", status: random.pick([400, 402, 429, 500, 503]) };
    if (random.chance(0.1))
      return { kind: "begun-error", status: random.pick([400, 429, 502]), tokens: random.below(longest) };
    const tokens = 1 + random.below(longest);
    const usage = random.pick(usages);
    return { kind: "answer", tokens, usage, ...(random.chance(0.2) && { text: "I cannot say." }) };
  };
  // Between a token per byte and the 4 bytes per token of English.
  const bytesPerToken = random.pick([1, 1 + random.next(), 4]);
  const tokensOf = (text: string): number => Math.floor(Buffer.byteLength(text) / bytesPerToken);
  const decides = (): DecisionReply => {
    if (random.chance(gateway)) return { kind: "dropped" };
    if (random.chance(0.1)) return { kind: "error", status: random.pick([400, 429, 500, 503]) };
    return random.chance(0.1) ? { kind: "short" } : { kind: "answers" };
  };
  const decisions: ScriptedDecisions = {
    // The fake decision model bills a token for four characters of input, and no output.
    price: { ...runSetting.price, output: 0 },
    says: decides,
    atMost: runSetting.judges === "cascade" ? random.pick([0.2, 1]) : null,
  };
  return {
    ...scenarioOf(runSetting, 12, says, tokensOf, random.next()),
    decisions: runSetting.judges === "chat" ? undefined : decisions,
  };
};

test("whatever a judge answers, a run never costs more than its ceiling", async () => {
  await fc.assert(
    fc.asyncProperty(setting, fc.double({ min: 0.01, max: 1, noNaN: true }), async (runSetting, share) => {
      const scenario = hostileScenario(runSetting);
      // A share of the unlimited cost, as a ceiling above that cost would test nothing.
      const unlimited = await runUnderCeiling(database, { ...scenario, ceiling: ample });
      const ceiling = Math.max(0.000_01, share * unlimited.billed);

      const { billed, run } = await runUnderCeiling(database, { ...scenario, ceiling });

      expect(billed).toBeLessThanOrEqual(ceiling + 1e-6);
      expect(["COMPLETED", "FAILED"]).toContain(run.status);
    }),
    { ...runOptions(ceilingCount), examples: [closeToCeiling, freeOutput] },
  );
});

test("whenever its workers die, a run never costs more than its ceiling nor more than it tells", async () => {
  const rates = { "crash-before": 0.04, "crash-after": 0.04 };
  await fc.assert(
    fc.asyncProperty(setting, fc.double({ min: 0.2, max: 3, noNaN: true }), async (runSetting, share) => {
      const random = seeded(runSetting.seed);
      const scenario = hostileScenario(runSetting);
      const unlimited = await runUnderCeiling(database, { ...scenario, ceiling: ample });
      const ceiling = Math.max(0.000_01, share * unlimited.billed);
      const faults = () => seededFaults(random, rates, new Map());

      const { billed, run } = await runUnderCeiling(database, { ...scenario, ceiling, faults });

      expect(billed).toBeLessThanOrEqual(ceiling + 1e-6);
      expect(billed).toBeLessThanOrEqual(chargedOf(run.usage) + 1e-6);
      expect(["COMPLETED", "FAILED"]).toContain(run.status);
    }),
    runOptions(Math.max(2, Math.round(ceilingCount * 0.2))),
  );
});

/** A setting in which answers are cut and paid twice if a scarce ceiling shortens the first attempt. */
const longAnswers: [Setting, tokens: number, share: number] = [
  {
    script: "mixed",
    length: 11_993,
    metrics: metricSets[3],
    price: { input: 20, cached: 1.15, output: 0.1, written: 20 },
    calls: 18,
    pictures: 0,
    pictureTokens: 48_169,
    together: false,
    judges: "chat",
    seed: 1,
  },
  2997,
  0.95,
];

/** Rounding loss of a ledger in whole micro-dollars, US dollars. */
const rounding = 1e-5;

test("a run of fifty similar pairs completes if its ceiling leaves room for its most expensive judgement or 30 %, whichever is more", async () => {
  await fc.assert(
    fc.asyncProperty(
      setting,
      fc.integer({ min: 60, max: 3000 }),
      // Share of cached prompt tokens: 0.95 for a prompt that the provider has mostly cached.
      fc.double({ min: 0, max: 0.95, noNaN: true }),
      async (runSetting, tokens, share) => {
        const perToken = runSetting.script === "mixed" ? 1.5 : scripts[runSetting.script].perToken;
        const tokensOf = (text: string): number => Math.ceil(text.length / perToken);
        const says = (): ScriptedReply => ({ kind: "answer", tokens });
        const scenario = { ...scenarioOf(runSetting, 50, says, tokensOf, share), ceiling: ample };
        const unlimited = await runUnderCeiling(database, scenario);
        const dearest = dearestJudgement(unlimited.prompts, runSetting.metrics, runSetting.price, tokens);
        const scarce = unlimited.billed + dearest + rounding;

        expect(unlimited.run).toMatchObject({ status: "COMPLETED", failed: 0 });
        expect(unlimited.minReservation).toBeLessThanOrEqual(dearest);
        for (const ceiling of [scarce, Math.max(scarce, unlimited.billed / 0.7)]) {
          const limited = await runUnderCeiling(database, { ...scenario, ceiling });

          expect(limited.run).toMatchObject({ status: "COMPLETED", failed: 0, scored: unlimited.run.scored });
          expect(limited.billed).toBeLessThanOrEqual(ceiling);
          expect(limited.minReservation).toBeLessThanOrEqual(dearest);
        }
      },
    ),
    { ...runOptions(Math.max(2, Math.round(ceilingCount * 0.4))), examples: [longAnswers] },
  );
});

test("a run whose next judgement may exceed the ceiling ends below it, keeps its scores and reports the reason", async () => {
  const price = { input: 0.17, cached: 0.005, output: 0.1, written: 0.17 };
  const runSetting: Setting = {
    script: "japanese",
    length: 12_000,
    metrics: metricSets[1],
    price,
    calls: 18,
    pictures: 0,
    pictureTokens: 200,
    together: false,
    judges: "chat",
    seed: 1,
  };
  const tokensOf = (text: string): number => Math.ceil(text.length / scripts.japanese.perToken);
  const says = (): ScriptedReply => ({ kind: "answer", tokens: 396 });
  const scenario = { ...scenarioOf(runSetting, 50, says, tokensOf, 0.95), ceiling: ample };
  const unlimited = await runUnderCeiling(database, scenario);
  const dearest = dearestJudgement(unlimited.prompts, runSetting.metrics, price, 396);
  const ceiling = unlimited.billed;

  const limited = await runUnderCeiling(database, { ...scenario, ceiling });

  expect(unlimited.billed + dearest).toBeGreaterThan(ceiling);
  expect(limited.billed).toBeLessThanOrEqual(ceiling);
  // The run has not ended while the ceiling left room for the maximum cost of a judgement.
  expect(limited.billed + dearest).toBeGreaterThan(ceiling);
  expect(limited.run.scored).toBeGreaterThan(0);
  expect(limited.run).toMatchObject({ status: "COMPLETED", scored: 50 - limited.run.failed });
  expect(limited.run.errorMessage).toMatch(
    /^\d+ of 50 judgements failed, one of them because: What is left of the run's max_cost_usd of \$[\d.]+ does not cover another judgement, for which/u,
  );
});
