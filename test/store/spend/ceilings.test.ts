import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Said } from "../../support/runs/billing-judge.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { runUnderCeiling, type CeilingScenario } from "./ceiling-fixture.ts";
import { dearestJudgement } from "./judgement-bound.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Ceilings that are tried of the first property; of the second, whose runs are longer, two fifths. `npm run ceilings` says more. */
const tried = Number(process.env["CEILINGS"] ?? 25);
const seed = Number(process.env["CEILINGS_SEED"] ?? freshSeed());
const sized = (numRuns: number) => ({ numRuns, seed, endOnFailure: true });
if (process.env["CEILINGS"] !== undefined) process.stderr.write(`${tried} ceilings, seed ${seed}\n`);

/** Scripts: what a text is made of, and how many characters of it real tokenizers put into a token. */
const scripts = {
  latin: { signs: "the agent looked up order 1042 and wrote: it left on Monday. ", perToken: 3.3 },
  chinese: { signs: "订单已经发货预计明天到达请确认收货地址", perToken: 1.65 },
  japanese: { signs: "ご注文の商品は月曜日に発送されました。", perToken: 1.47 },
  base64: { signs: "iVBORw0KGgoAAAANSUhEUgAAAAUA9f3Qx7+/", perToken: 2.06 },
  emoji: { signs: "🧾📦🚚👩🏽‍💻", perToken: 0.6 },
} as const;
type ScriptName = keyof typeof scripts;

/** A text of one script, or of all of them by turns. */
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

const price = fc.record({
  input: fc.double({ min: 0.05, max: 20, noNaN: true }),
  cached: fc.double({ min: 0.005, max: 2, noNaN: true }),
  output: fc.double({ min: 0.1, max: 100, noNaN: true }),
});

const setting = fc.record({
  script: fc.constantFrom<ScriptName | "mixed">("latin", "chinese", "japanese", "base64", "emoji", "mixed"),
  length: fc.integer({ min: 10, max: 12_000 }),
  metrics: fc.constantFrom(...metricSets),
  price: price.map(({ input, cached, output }) => ({ input, cached: Math.min(cached, input), output, written: input })),
  calls: fc.integer({ min: 1, max: 20 }),
  pictures: fc.constantFrom(0, 0, 0, 1, 3),
  // Where a picture has few as a rule, and the most there are.
  pictureTokens: fc.constantFrom(200, 1500, 48_169),
  together: fc.boolean(),
  seed: fc.integer(),
});

type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never;

const scenarioOf = (
  { script, length, metrics, price: given, calls, pictures, pictureTokens, together }: Setting,
  pairs: number,
  says: (call: number) => Said,
  tokensOf: (text: string) => number,
  cachedShare = 0,
): CeilingScenario => ({
  traces: Math.ceil(pairs / metrics.length),
  metrics,
  text: textOf(script, length),
  price: given,
  script: { promptTokens: tokensOf, pictureTokens, cached: (tokens) => Math.floor(tokens * cachedShare), says },
  ceiling: null,
  calls,
  pictures,
  together,
});

/** A ceiling that holds no run back, so that all it would cost and set aside is known. */
const ample = 1_000_000;

/** A run that passes its ceiling as soon as a call is reckoned at half of what it can come to. */
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
    seed: -153_529_968,
  },
  0.07226441627544707,
];

test("whatever a judge answers, a run never costs more than its ceiling", async () => {
  await fc.assert(
    fc.asyncProperty(setting, fc.double({ min: 0.01, max: 1, noNaN: true }), async (given, share) => {
      const random = seeded(given.seed);
      const longest = random.pick([50, 900, 8000, 60_000]);
      // Where most answers have no end, a run comes to nearly all that is set aside for it.
      const endless = random.pick([0.1, 0.9]);
      const says = (): Said => {
        if (random.chance(endless)) return { kind: "endless" };
        if (random.chance(0.1)) return { kind: "error", status: random.pick([400, 429, 500, 503]) };
        if (random.chance(0.05)) return { kind: "lost", tokens: random.below(longest) };
        const tokens = 1 + random.below(longest);
        return random.chance(0.2) ? { kind: "answer", tokens, text: "I cannot say." } : { kind: "answer", tokens };
      };
      // From what a tokenizer makes of English to a token for each byte.
      const bytesPerToken = random.pick([1, 1 + random.next(), 4]);
      const tokensOf = (text: string): number => Math.floor(Buffer.byteLength(text) / bytesPerToken);
      const scenario = scenarioOf(given, 12, says, tokensOf, random.next());
      // Of what it costs where nothing holds it back: a ceiling that is not in the way shows nothing.
      const free = await runUnderCeiling(database, { ...scenario, ceiling: ample });
      const ceiling = Math.max(0.000_01, share * free.billed);

      const { billed, run } = await runUnderCeiling(database, { ...scenario, ceiling });

      expect(billed).toBeLessThanOrEqual(ceiling + 1e-6);
      expect(["COMPLETED", "FAILED"]).toContain(run.status);
    }),
    { ...sized(tried), examples: [closeToCeiling] },
  );
});

/** Answers that were cut, and paid for twice, as long as a scarce ceiling gave the first of them less than it could. */
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
    seed: 1,
  },
  2997,
  0.95,
];

/** What books lose by whole micro-dollars, US dollars. */
const rounding = 1e-5;

test("a run of fifty like pairs completes that leaves of its ceiling the most that its dearest judgement can cost, asked once, or 30 % where that is more", async () => {
  await fc.assert(
    fc.asyncProperty(
      setting,
      fc.integer({ min: 60, max: 3000 }),
      // Of a prompt that mostly was there before a provider's cache has nearly all.
      fc.double({ min: 0, max: 0.95, noNaN: true }),
      async (given, tokens, share) => {
        const perToken = given.script === "mixed" ? 1.5 : scripts[given.script].perToken;
        const tokensOf = (text: string): number => Math.ceil(text.length / perToken);
        const says = (): Said => ({ kind: "answer", tokens });
        const scenario = { ...scenarioOf(given, 50, says, tokensOf, share), ceiling: ample };
        const free = await runUnderCeiling(database, scenario);
        const dearest = dearestJudgement(free.prompts, given.metrics, given.price, tokens);
        const scarce = free.billed + dearest + rounding;

        expect(free.run).toMatchObject({ status: "COMPLETED", failed: 0 });
        expect(free.least).toBeLessThanOrEqual(dearest);
        for (const ceiling of [scarce, Math.max(scarce, free.billed / 0.7)]) {
          const held = await runUnderCeiling(database, { ...scenario, ceiling });

          expect(held.run).toMatchObject({ status: "COMPLETED", failed: 0, scored: free.run.scored });
          expect(held.billed).toBeLessThanOrEqual(ceiling);
          expect(held.least).toBeLessThanOrEqual(dearest);
        }
      },
    ),
    { ...sized(Math.max(2, Math.round(tried * 0.4))), examples: [longAnswers] },
  );
});

test("where one judgement can cost more than is left, the run ends below its ceiling, keeps what was scored and says why", async () => {
  const price = { input: 0.17, cached: 0.005, output: 0.1, written: 0.17 };
  const given: Setting = {
    script: "japanese",
    length: 12_000,
    metrics: metricSets[1],
    price,
    calls: 18,
    pictures: 0,
    pictureTokens: 200,
    together: false,
    seed: 1,
  };
  const tokensOf = (text: string): number => Math.ceil(text.length / scripts.japanese.perToken);
  const says = (): Said => ({ kind: "answer", tokens: 396 });
  const scenario = { ...scenarioOf(given, 50, says, tokensOf, 0.95), ceiling: ample };
  const free = await runUnderCeiling(database, scenario);
  const dearest = dearestJudgement(free.prompts, given.metrics, price, 396);
  const ceiling = free.billed / 0.7;

  const held = await runUnderCeiling(database, { ...scenario, ceiling });

  expect(free.billed + dearest).toBeGreaterThan(ceiling);
  expect(held.billed).toBeLessThanOrEqual(ceiling);
  // It has not ended while the most was left that a judgement can cost.
  expect(held.billed + dearest).toBeGreaterThan(ceiling);
  expect(held.run.scored).toBeGreaterThan(0);
  expect(held.run).toMatchObject({ status: "COMPLETED", scored: 50 - held.run.failed });
  expect(held.run.errorMessage).toMatch(
    /^\d+ of 50 judgements failed, one of them because: What is left of the run's max_cost_usd of \$[\d.]+ does not cover another judgement, for which/u,
  );
});
