import { getEncoding } from "js-tiktoken";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generateTrace } from "../../bench/generate-trace.ts";
import { seeded } from "../../support/random.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { runUnderCeiling, type CeilingScenario } from "./ceiling-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const encoding = getEncoding("o200k_base");
const tokensByLine = new Map<string, number>();
/** Tokens of a request, line by line, because most lines occur in several. */
const tokensOf = (text: string): number =>
  text.split(String.raw`\n`).reduce((sum, line) => {
    const tokens = tokensByLine.get(line) ?? encoding.encode(line, [], []).length + 1;
    tokensByLine.set(line, tokens);
    return sum + tokens;
  }, 0);
const price = { input: 2, cached: 0.5, output: 8, written: 2 };

/** Agent traces of three to twenty spans, as an airline's support has them. */
const { next } = seeded(34);
const traces = Array.from({ length: 26 }, (_, index) => {
  const {
    trace_id: _id,
    session_id: _session,
    ...fields
  } = generateTrace(next, `trace ${index}`, Date.UTC(2026, 9, 1));
  return { ...fields, spans: fields.spans?.slice(0, 3 + ((index * 7) % 18)) ?? [] };
});

const scenario = (overrides: Partial<CeilingScenario>): CeilingScenario => ({
  traces: traces.length,
  metrics: ["task_completion"],
  text: () => "",
  price,
  script: {
    promptTokens: tokensOf,
    pictureTokens: 0,
    cached: () => 0,
    says: () => ({ kind: "answer", tokens: 250 }),
  },
  ceiling: 0.2,
  calls: 8,
  pictures: 0,
  together: false,
  ...overrides,
});

// A listed model has a known tokenizer; another one is known after its first reported usage.
test.each(["openai/gpt-4.1", "openai/judge"])(
  "a run of %s under $0.20 leaves less than eight percent of it",
  async (model) => {
    const { billed, run } = await runUnderCeiling(
      database,
      scenario({ model, fields: (index) => traces[index] ?? {} }),
    );

    expect(run.failed).toBeGreaterThan(0);
    expect(billed).toBeLessThanOrEqual(0.2);
    expect(billed).toBeGreaterThan(0.2 * 0.92);
  },
);

test("a ceiling for a few calls pays them, although a token per byte would not fit", async () => {
  const answer = "ご注文の商品は月曜日に発送されました。キャンセルはマイページからお手続きください。\n".repeat(250);
  const japanese = { text: () => answer, model: "openai/gpt-4.1", traces: 6 };
  const [small, larger] = [
    await runUnderCeiling(database, scenario({ ...japanese, ceiling: 0.1 })),
    await runUnderCeiling(database, scenario({ ...japanese, ceiling: 0.2 })),
  ];

  expect([small.run.scored, larger.run.scored]).toEqual([2, 5]);
  expect([small.billed <= 0.1, larger.billed <= 0.2]).toEqual([true, true]);
});
