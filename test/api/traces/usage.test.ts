import { randomBytes, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { createSpans } from "../../../lib/contract/traces/changes.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { jsonExport, jsonSpan, sendJsonExport } from "../../support/otlp/otlp.ts";
import { attributesOf, type Attributes } from "../../support/otlp/otlp-span.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");
const started_at = "2026-10-01T10:00:00.000000+00:00";

const tokens = (prompt: number, completion: number): Attributes => ({
  "gen_ai.request.model": "gpt-4o",
  "gen_ai.usage.input_tokens": prompt,
  "gen_ai.usage.output_tokens": completion,
});
const chat = (prompt: number, completion: number): Attributes => ({
  "gen_ai.operation.name": "chat",
  ...tokens(prompt, completion),
});
const agent = { "gen_ai.operation.name": "invoke_agent" };
const http = { "http.request.method": "POST" };
const total = { ...agent, "gen_ai.request.model": "gpt-4o", "gen_ai.aggregated_usage.input_tokens": 113 };
const openInference = (kind: string, model: string): Attributes => ({
  "openinference.span.kind": kind,
  "llm.model_name": model,
  "llm.token_count.prompt": 113,
  "llm.token_count.completion": 11,
});
const [guardrail, judge] = [openInference("GUARDRAIL", ""), openInference("LLM", "gpt-4o-2024-08-06")];
const paid = { ...openInference("AGENT", "claude-sonnet-4-5"), "llm.cost.total": 0.1934 };

/** Attributes of spans, each within the span before it; a list at the end is of spans next to each other. */
type Nested = readonly [...(readonly Attributes[]), readonly Attributes[]];

test.each<readonly [shape: string, spans: Nested, total_tokens: number, total_cost: number]>([
  ["an agent above a call without usage", [{ ...agent, ...tokens(113, 11) }, [agent]], 124, 0.0003925],
  ["a workflow", [[{ "traceloop.span.kind": "workflow", ...tokens(113, 11) }]], 124, 0.0003925],
  ["an agent with the provider's cost", [paid, [{ "openinference.span.kind": "TOOL" }]], 124, 0.1934],
  ["an agent with the only cost", [{ ...agent, "gen_ai.usage.cost": 0.42 }, [chat(5, 5)]], 10, 0.42],
  ["a wrapper of two calls", [tokens(113, 11), {}, [chat(56, 5), chat(57, 6)]], 124, 0.0003925],
  ["a call that its gateway repeats", [chat(113, 11), http, [judge]], 124, 0.0003925],
  ["a guardrail around its judge", [guardrail, [judge]], 124, 0.0003925],
  ["a total above one of two calls", [total, [chat(56, 11)]], 124, 0.0003925],
])("usage of %s counts once, in one request or several, in any order", async (_, nested, total_tokens, total_cost) => {
  const project = newProject(service);
  const ids = ["a", "b", "c", "d"].map((digit) => digit.repeat(16));
  const spans = nested.flat().map((attributes, index) => ({
    id: ids[index] ?? "",
    parentSpanId: ids[Math.min(index, nested.length - 1) - 1] ?? "",
    attributes: attributesOf(attributes),
  }));
  const send = async (requests: readonly (typeof spans)[]): Promise<string> => {
    const trace = randomBytes(16).toString("hex");
    for (const request of requests) {
      const exported = request.map(({ id, ...fields }) => jsonSpan(trace, id, fields));
      await sendJsonExport(service, project.headers, jsonExport(exported));
    }
    return traceUuid(trace);
  };
  const single = spans.map((span) => [span]);

  const traces = [await send([spans]), await send(single), await send(single.toReversed())];

  const sums = { total_tokens, total_cost, unpriced_tokens: 0 };
  for (const trace_id of traces) expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject(sums);
  expect((await project.answer(listTraces)).items).toMatchObject([sums, sums, sums]);
});

test("usage that spans of a client repeat counts once, in the trace, its list and its session, however late they are", async () => {
  const project = newProject(service);
  const [root, step, call] = [randomUUID(), randomUUID(), randomUUID()];
  const usage = { model: "gpt-4o", token_usage: { prompt_tokens: 100, completion_tokens: 20 } };
  const outer = { span_id: root, name: "agent", kind: "AGENT", started_at, ...usage, cost: { total: 0.5 } };
  const inner = { span_id: call, parent_span_id: step, name: "chat", kind: "LLM", started_at, ...usage };
  const { trace_id } = await project.answer(createTrace, {
    body: { name: "x", started_at, session_id: "chat", spans: [outer] },
  });

  await project.answer(createSpans, { params: { trace_id }, body: [inner] });
  const apart = await project.answer(getTrace, { params: { trace_id } });
  await project.answer(createSpans, {
    params: { trace_id },
    body: [{ span_id: step, parent_span_id: root, name: "step", kind: "CHAIN", started_at }],
  });

  const sums = { total_tokens: 120, total_cost: 0.5 };
  expect(apart).toMatchObject({ total_tokens: 240, total_cost: 0.50045 });
  expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject(sums);
  expect((await project.answer(listTraces)).items).toMatchObject([sums]);
  expect((await project.answer(listSessions)).items).toMatchObject([sums]);
});
