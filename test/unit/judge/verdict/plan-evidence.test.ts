import { afterAll, beforeAll, expect, test } from "vitest";
import { says, startFakeJudge, type FakeJudge } from "../../../support/runs/fake-judge.ts";
import { judgeOf, span, trace } from "../fixtures.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

const planned = trace({
  spans: [
    span("a", { kind: "LLM", name: "chat", output: "First I look up the order, then I tell the customer." }),
    span("b", { kind: "TOOL", name: "get_order", output: { status: "shipped" } }),
  ],
});
const invented = "Ask the supplier for a refund";
const plan = {
  task: "Find the order.",
  evidence: ["First I look up the order"],
  plan: [invented, "Tell the customer"],
};
const statements = (names: readonly string[], evidence: readonly string[]) => ({
  statements: Object.fromEntries(names.map((name) => [name, { evidence, reason: "So.", answer: "yes" }])),
});

test.each([
  ["plan_quality", ["aimed", "complete", "coherent", "direct", "precise"]],
  ["plan_adherence", ["begun", "half", "essential", "exact"]],
])("%s looks its evidence up in the record, not in the plan that the judge extracted", async (metric, names) => {
  fake.script(says(plan), says(statements(names, [invented, "then I tell the customer"])));
  const { judge, request, deadline } = judgeOf(fake);

  const verdict = await judge.target({ ...request, trace: planned }).score(metric, deadline());

  expect(verdict.metadata["evidence"]).toMatchObject([
    { text: invented, found: false, span_id: null },
    { text: "then I tell the customer", found: true, span_id: "a" },
    ...(metric === "plan_quality" ? [{ text: "First I look up the order", found: true, span_id: "a" }] : []),
  ]);
});

test.each([
  ["plan_quality", ["aimed", "complete", "coherent", "direct", "precise"], 1],
  ["plan_adherence", ["begun", "half", "essential", "exact"], 0],
])(
  "the question of %s shows of the plan's evidence what the record bears out, and the score tells the rest",
  async (metric, names, dropped) => {
    const evidence = ["First I look up the order", "Then I bribe the courier"];
    fake.script(says({ ...plan, evidence }), says(statements(names, [])));
    const { judge, request, deadline } = judgeOf(fake);

    const verdict = await judge.target({ ...request, trace: planned }).score(metric, deadline());

    const question = JSON.stringify(fake.calls.at(-1)?.body.messages);
    expect([question.includes("First I look up the order"), question.includes("bribe")]).toEqual([true, false]);
    expect(verdict.grounds?.evidence?.dropped).toBe(dropped);
  },
);
