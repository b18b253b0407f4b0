import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, inject, test } from "vitest";
import { listTraceScores } from "../../../../lib/contract/scores/trace-scores.ts";
import { getTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { clientWith } from "../../../support/service/client.ts";
import { compileCache } from "../../../support/vitest/compile-cache.ts";

const service = inject("service");
const program = join(import.meta.dirname, "../../../support/langsmith/shop.ts");
const projectName = `shop-${randomUUID()}`;
const project = clientWith(service, { "X-API-Key": service.tenant.apiKey, "X-Project-Name": projectName });

/** What LangSmith's documentation says to set, with a key of the whole organization. */
const settings = {
  LANGSMITH_TRACING: "true",
  LANGSMITH_ENDPOINT: `${service.baseUrl}/langsmith`,
  LANGSMITH_API_KEY: service.tenant.apiKey,
  LANGSMITH_PROJECT: projectName,
};

let run: { readonly runId: string; readonly projectId: string };
let warnings: string;
beforeAll(async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], {
    env: { ...settings, ...compileCache },
  });
  run = JSON.parse(stdout) as typeof run;
  warnings = stderr;
});

test("the published JavaScript SDK sends a trace with its tools, error, model call, tags, session and user", async () => {
  const trace = await project.answer(getTrace, { params: { trace_id: run.runId } });
  const [agent, tool, failedTool, call] = trace.spans;

  expect(trace).toMatchObject({
    name: "support_agent",
    status: "COMPLETED",
    session_id: "thread-7",
    user_id: "mia",
    tags: ["beta", "shop, eu"],
    input: "Where is my order 1042?",
    output: "It arrives tomorrow.",
    metadata: { tier: "gold" },
    project_id: run.projectId,
  });
  expect(trace.spans).toHaveLength(4);
  expect(agent).toMatchObject({ span_id: run.runId, parent_span_id: null, kind: "CHAIN", status: "OK" });
  expect(tool).toMatchObject({
    name: "look_up_order",
    kind: "TOOL",
    parent_span_id: run.runId,
    output: { order: 1042, status: "on its way" },
  });
  expect(tool?.ended_at).toEqual(expect.any(String));
  expect(failedTool).toMatchObject({ status: "ERROR", error: "Error: The warehouse is closed.", output: null });
  expect(call).toMatchObject({
    kind: "LLM",
    model: "gpt-4o-mini-2024-07-18",
    input: [{ role: "system" }, { role: "user", content: "Where is my order 1042? on its way" }],
    output: [{ role: "assistant", content: "It arrives tomorrow." }],
    token_usage: { prompt_tokens: 21, completion_tokens: 8, cache_read_tokens: 5 },
    model_parameters: { temperature: 0.2 },
    cost: { source: "price_list" },
  });
  expect(warnings).not.toMatch(/fail|40\d|42\d/iu);
});

test("its failed run is a trace of the same session with the status ERROR", async () => {
  const { items } = await project.page(listTraces, { query: { session_id: "thread-7", status: "ERROR" } });

  expect(items).toMatchObject([{ name: "failing_agent", status: "ERROR", span_count: 1 }]);
});

test("its feedback is a score of the trace in the same project, although the SDK does not name the project", async () => {
  const { items } = await project.page(listTraceScores, { query: { trace_id: run.runId } });

  const scores = items.map(({ name, value, data_type, source, reason, span_id }) => ({
    name,
    value,
    data_type,
    source,
    reason,
    span_id,
  }));
  expect(scores.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
    {
      name: "helpful",
      value: "1",
      data_type: "NUMERIC",
      source: "PROGRAMMATIC",
      reason: "It was right.",
      span_id: null,
    },
    { name: "thumb", value: "true", data_type: "BOOLEAN", source: "PROGRAMMATIC", reason: null, span_id: null },
  ]);
});
