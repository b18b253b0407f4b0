import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOfflineJudge, type OfflineJudge } from "../../../infra/local/offline-judge/offline-judge.ts";
import type { Json } from "../../../lib/domain/json.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { judgeOf, span, trace } from "../judge/fixtures.ts";

let offline: OfflineJudge;
beforeAll(async () => {
  offline = await startOfflineJudge();
});
afterAll(() => offline.close());

const score = async (metric: string, fields: Partial<Trace>) => {
  const { judge, request, deadline } = judgeOf(offline, {
    providers: { offline: { baseUrl: "/base-url" } },
    parameter: async () => offline.url,
  });
  return judge.target({ ...request, trace: trace(fields), model: "offline/rules" }).score(metric, deadline());
};

describe("a trace in which the agent did nothing", () => {
  const outputs: readonly Json[] = [null, "", "   ", {}, { messages: [] }, '{"messages": []}'];
  const rows = traceMetrics.flatMap(({ name }) => outputs.map((output) => [name, output] as const));

  test.each(rows)("is not judged by %s: its output is %j", async (metric, output) => {
    const verdict = await score(metric, { output, spans: [span("a", { kind: "AGENT", input: "Go" })] });

    expect(verdict).toMatchObject({ kind: "scored", metadata: { success: null } });
    expect(verdict.grounds?.inapplicable).toEqual(expect.any(String));
  });

  test.each(["task_completion", "confidence"])(
    "passes for no reader of %s who looks at the number only",
    async (name) => {
      expect(await score(name, { output: " ", spans: [] })).toMatchObject({ value: 0, metadata: { attempts: 0 } });
    },
  );
});

const inapplicableCode = async (metric: string, fields: Partial<Trace>) =>
  (await score(metric, fields)).grounds?.inapplicable;

test("an end in error, a failed step or a call is something to judge", async () => {
  for (const fields of [
    { status: "ERROR" as const, spans: [] },
    { spans: [span("a", { status: "ERROR" })] },
    { spans: [span("a", { kind: "TOOL" })] },
    { spans: [span("a", { kind: "LLM", output: "Hello" })] },
  ])
    expect(await inapplicableCode("task_completion", { output: null, ...fields })).toBeNull();
});

test("the choice of tools is judged where a tool is called or offered, and only there", async () => {
  const tools = [{ name: "search", input_schema: { type: "object" } }];
  const model = (fields: Parameters<typeof span>[1]) => [span("a", { kind: "LLM", output: "Hello", ...fields })];

  expect(await inapplicableCode("tool_correctness", { spans: model({}) })).toBe("no_tool_calls");
  expect(await inapplicableCode("tool_correctness", { spans: model({ model_parameters: { tools } }) })).toBeNull();
  expect(await inapplicableCode("tool_correctness", {})).toBeNull();
});

test("steps are judged where there is one", async () => {
  expect(await inapplicableCode("step_efficiency", { spans: [] })).toBe("no_spans");
  expect(await inapplicableCode("step_efficiency", {})).toBeNull();
});
