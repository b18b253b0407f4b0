import { afterAll, beforeAll, expect, test } from "vitest";
import { loadTokenizers } from "../../../../lib/judge/spending/tokenizers.ts";
import { generateTrace } from "../../../bench/generate-trace.ts";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { seeded, type Random } from "../../../support/random.ts";
import { hostileTexts } from "../../../support/runs/hostile-texts.ts";
import { sample } from "../../../support/sample.ts";
import { runUnderCeiling, type CeilingScenario } from "../../spend/ceiling-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const count = await loadTokenizers();
const tokensByText = new Map<string, number>();
/** Tokens of a request in the published tokenizer that makes more of it. */
const tokensOf = (text: string): number => {
  const tokens = tokensByText.get(text) ?? count(text);
  tokensByText.set(text, tokens);
  return tokens;
};

/** A model of OpenAI, whose tokenizer is known, and one of which the process learns from its reports. */
const models = ["openai/gpt-4.1", "openai/judge"] as const;

const price = { input: 2, cached: 0.5, output: 8, written: 2 };
const ample = 1_000_000;

const scenario = (overrides: Partial<CeilingScenario>): CeilingScenario => ({
  traces: 5,
  metrics: ["task_completion"],
  text: () => "",
  price,
  script: { promptTokens: tokensOf, pictureTokens: 0, cached: () => 0, says: () => ({ kind: "answer", tokens: 250 }) },
  ceiling: ample,
  calls: 8,
  pictures: 0,
  together: false,
  ...overrides,
});

test.each(sample("hostile texts", Object.keys(hostileTexts), 4))(
  "no bill is above its ceiling where traces hold text that is hard to count: %s",
  async (kind) => {
    const hostile = hostileTexts[kind] ?? "";
    // The first traces are short, so that the rules and the question make most of what a model has reported.
    const text = (trace: number): string =>
      trace < 2
        ? "Hello"
        : hostile
            .repeat(Math.ceil(6000 / hostile.length))
            .slice(0, 6000)
            .toWellFormed();
    for (const model of models) {
      // Where output is free, a prompt that is longer than its bound is on the bill.
      const run = scenario({ traces: 5, text, model, calls: 1, price: { ...price, output: 0 } });
      const { billed: cost } = await runUnderCeiling(database, run);
      const { billed, run: limited } = await runUnderCeiling(database, { ...run, ceiling: 0.999 * cost });

      expect({ model, isWithin: billed <= 0.999 * cost, failed: limited.failed }).toEqual({
        model,
        isWithin: true,
        failed: 1,
      });
    }
  },
);

const english = "The agent looked up order 1042, asked the warehouse and wrote to the customer: it left on Monday. ";
const german = "Die Bestellung wurde am Montag verschickt; die Großküchenausstattung kommt in zwei Lieferungen. ";
const japanese = "ご注文の商品は月曜日に発送されました。キャンセルはマイページからお手続きください。";

/** Fields of the traces of a run: texts of any length in one language, or spans with JSON. */
const tracesOf: Readonly<Record<string, (random: Random) => NonNullable<CeilingScenario["fields"]>>> = {
  English: (random) => () => ({ input: english, output: english.repeat(random.between(1, 120)) }),
  German: (random) => () => ({ input: german, output: german.repeat(random.between(1, 120)) }),
  Japanese: (random) => () => ({ input: japanese, output: japanese.repeat(random.between(1, 120)) }),
  JSON: (random) => (index) => {
    const { trace_id: _id, session_id: _session, ...fields } = generateTrace(random.next, `trace ${index}`, 0);
    return { ...fields, spans: fields.spans?.slice(0, random.between(3, 20)) ?? [] };
  },
};

/** Runs of each kind; `npm run ceilings` makes more, and prints what their ceilings bought. */
const runCount = process.env["CEILINGS"] === undefined ? 2 : 25;

test("with a ceiling of 1.3 times its cost a run finishes, in each language and of any model", async () => {
  const rows: string[] = [];
  let [unfinished, total] = [0, 0];
  for (const model of models)
    for (const [kind, fieldsFor] of Object.entries(tracesOf)) {
      let [finished, scored, pairs, spent, granted] = [0, 0, 0, 0, 0];
      for (let run = 0; run < runCount; run += 1) {
        const random = seeded(run).fork(kind);
        const traces = random.between(5, 20);
        const generated = Array.from({ length: traces }, (_, index) => fieldsFor(random)(index));
        const fields = (index: number) => generated[index] ?? {};
        const { billed: cost } = await runUnderCeiling(database, scenario({ traces, fields, model }));
        const limited = await runUnderCeiling(database, scenario({ traces, fields, model, ceiling: 1.3 * cost }));
        if (limited.run.failed === 0) finished += 1;
        [scored, pairs] = [scored + limited.run.scored, pairs + traces];
        [spent, granted] = [spent + limited.billed, granted + 1.3 * cost];

        expect(limited.billed).toBeLessThanOrEqual(1.3 * cost);
      }
      unfinished += runCount - finished;
      total += runCount;
      rows.push(
        `| ${[model, kind, `${finished} of ${runCount}`, `${scored} of ${pairs}`, `${Math.round((100 * spent) / granted)} %`].join(" | ")} |`,
      );
    }
  if (process.env["CEILINGS"] !== undefined)
    process.stderr.write(
      `${["A ceiling of 1.3 times the cost buys", "", "| model | traces | finished runs | scores | spent |", "|---|---|---|---|---|", ...rows].join("\n")}\n`,
    );

  expect(unfinished / total).toBeLessThanOrEqual(0.05);
});
