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
  "gen_ai.usage.input_tokens": prompt,
  "gen_ai.usage.output_tokens": completion,
});
const chat = (prompt: number, completion: number): Attributes => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "gpt-4o",
  ...tokens(prompt, completion),
});
const agent: Attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper" };
const openInference = (kind: string, prompt: number, completion: number, more: Attributes = {}): Attributes => ({
  "openinference.span.kind": kind,
  "llm.token_count.prompt": prompt,
  "llm.token_count.completion": completion,
  ...more,
});

/** A span: its id, that of its parent, and its attributes. */
type Sketch = readonly [id: string, parent: string, attributes: Attributes];

test.each<readonly [shape: string, spans: readonly Sketch[], total_tokens: number, total_cost: number]>([
  [
    "an agent above a call without usage",
    [
      ["a", "", { ...agent, ...tokens(113, 11), "gen_ai.request.model": "gpt-4o" }],
      ["b", "a", { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o" }],
    ],
    124,
    0.0003925,
  ],
  [
    "a workflow without model calls",
    [["a", "", { "traceloop.span.kind": "workflow", "gen_ai.request.model": "gpt-4o", ...tokens(113, 11) }]],
    124,
    0.0003925,
  ],
  [
    "an agent with the provider's cost, above a tool",
    [
      ["a", "", openInference("AGENT", 1200, 340, { "llm.model_name": "claude-sonnet-4-5", "llm.cost.total": 0.1934 })],
      ["b", "a", { "openinference.span.kind": "TOOL" }],
    ],
    1540,
    0.1934,
  ],
  [
    "an agent with the only cost, above a call",
    [
      ["a", "", { ...agent, "gen_ai.usage.cost": 0.42 }],
      ["b", "a", chat(5, 5)],
    ],
    10,
    0.42,
  ],
  [
    "a wrapper of two calls in a step",
    [
      ["a", "", { "gen_ai.request.model": "gpt-4o", ...tokens(113, 11) }],
      ["b", "a", {}],
      ["c", "b", chat(56, 5)],
      ["d", "b", chat(57, 6)],
    ],
    124,
    0.0003925,
  ],
  [
    "a call that its gateway reports again",
    [
      ["a", "", chat(100, 20)],
      ["b", "a", { "http.request.method": "POST" }],
      ["c", "b", openInference("LLM", 100, 20, { "llm.model_name": "gpt-4o-2024-08-06" })],
    ],
    120,
    0.00045,
  ],
  [
    "a guardrail around its judge",
    [
      ["a", "", openInference("GUARDRAIL", 9, 12)],
      ["b", "a", openInference("LLM", 9, 12, { "llm.model_name": "gpt-4o" })],
    ],
    21,
    0.0001425,
  ],
  [
    "a total above one of two calls",
    [
      [
        "a",
        "",
        {
          ...agent,
          "gen_ai.request.model": "gpt-4o",
          "gen_ai.aggregated_usage.input_tokens": 113,
          "gen_ai.aggregated_usage.output_tokens": 11,
        },
      ],
      ["b", "a", chat(56, 5)],
    ],
    124,
    0.0003925,
  ],
])(
  "the usage of %s counts once, in one request or in one for each span, in either order",
  async (_, spans, total_tokens, total_cost) => {
    const project = newProject(service);
    const send = async (requests: readonly (readonly Sketch[])[]): Promise<string> => {
      const trace = randomBytes(16).toString("hex");
      for (const request of requests) {
        const exported = request.map(([id, parent, attributes]) =>
          jsonSpan(trace, id.repeat(16), { parentSpanId: parent.repeat(16), attributes: attributesOf(attributes) }),
        );
        await sendJsonExport(service, project.headers, jsonExport(exported));
      }
      return traceUuid(trace);
    };
    const one = spans.map((span) => [span]);

    const ids = [await send([spans]), await send(one), await send(one.toReversed())];

    const sums = { total_tokens, total_cost, unpriced_tokens: 0 };
    for (const trace_id of ids) expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject(sums);
    expect((await project.answer(listTraces)).items).toMatchObject([sums, sums, sums]);
  },
);

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
