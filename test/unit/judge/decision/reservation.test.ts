import { expect, test } from "vitest";
import { judgeByDecision } from "../../../../lib/judge/decision/decision-judge.ts";
import { unlimitedBudget } from "../../../../lib/judge/spending/judge-budget.ts";
import { sizeOfText } from "../../../../lib/judge/spending/prompt-size.ts";
import { coverageOf } from "../../../../lib/judge/transcript/transcript.ts";
import { traceMetrics } from "../../../../lib/metrics/trace/definitions.ts";
import { trace } from "../fixtures.ts";

test("the calls of metrics that rest on a plan are reserved together: the first one, and the second that may follow", async () => {
  const group = traceMetrics.flatMap((metric) =>
    metric.method === "judge" && ["plan_quality", "task_completion"].includes(metric.name) ? [metric] : [],
  );
  const questions: string[][] = [];
  const verdicts = await judgeByDecision(
    {
      material: { trace: trace(), earlierTraces: [], omittedTraceCount: 0 },
      factOptions: { characters: 1_000, code: "code" },
      questions: {
        ask: () => expect.unreachable(),
        askOnce: () => expect.unreachable(),
        isAsked: () => false,
        sampling: () => null,
        sizeOf: ({ decision }) => {
          questions.push(decision?.predicates.map(({ name }) => name) ?? []);
          return sizeOfText("prompt");
        },
      },
      transcriptCoverage: () => coverageOf(1, 1),
      refuseCoverage: () => null,
      reserve: async (_, prompts) => {
        prompts();
        return null;
      },
      id: "call",
    },
    group.map((metric) => ({ metric, base: { model: "system-one" } as never })),
    { budget: unlimitedBudget, deadline: Infinity, onReserved: () => expect.unreachable() },
  );

  expect(verdicts.map(({ kind }) => kind)).toEqual(["deferred", "deferred"]);
  expect(questions.map(([first]) => first)).toEqual(["plan", expect.stringMatching(/^c1_1_/u)]);
});
