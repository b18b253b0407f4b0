import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { createTrace, getSpan, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";

const client = newProject(inject("service"));

const spans = Array.from({ length: 3 }, (_, index) => ({
  span_id: randomUUID(),
  name: `step ${index}`,
  started_at: `2026-10-01T10:00:0${index}.000000+00:00`,
  kind: "LLM",
  model: "m",
  input: { question: "long ".repeat(1_000) },
  output: "answer",
  metadata: { a: 1 },
  model_parameters: { temperature: 0 },
  token_usage: { prompt_tokens: 3, completion_tokens: 4 },
}));

test("the skeleton of a trace, and of a session's traces, has everything except the bodies of spans, each of which can be read alone", async () => {
  const body = { name: "a", started_at: "2026-10-01", session_id: "s", input: "kept", spans };
  const { trace_id } = await client.answer(createTrace, { body });
  const params = { trace_id };
  const fullTrace = await client.answer(getTrace, { params });
  const skeleton = await client.answer(getTrace, { params, query: { fields: "skeleton" } });
  const session = await client.answer(getSession, { params: { session_id: "s" }, query: { fields: "skeleton" } });
  const [first] = fullTrace.spans;
  const span = await client.answer(getSpan, { params: { trace_id, span_id: first?.span_id ?? "" } });
  const none = await client.call(getSpan, { params: { trace_id, span_id: randomUUID() } });

  const bare = { input: null, output: null, metadata: {}, model_parameters: null };
  const spansWithoutBodies = fullTrace.spans.map((each) => Object.assign({ ...each }, bare));
  expect(skeleton).toEqual({ ...fullTrace, spans: spansWithoutBodies });
  expect(session.traces).toEqual([skeleton]);
  expect(span).toEqual(first);
  expect(none.status).toBe(404);
});

test("`fields=auto` answers spans without their bodies from 401 spans on", async () => {
  const manySpans = Array.from({ length: 401 }, (_, index) => ({
    span_id: randomUUID(),
    name: `step ${index}`,
    started_at: "2026-10-01",
    input: "kept",
  }));
  for (const [number, field] of [
    [400, "all"],
    [401, "skeleton"],
  ] as const) {
    const body = { name: "sized", started_at: "2026-10-01", spans: manySpans.slice(0, number) };
    const params = { trace_id: (await client.answer(createTrace, { body })).trace_id };
    const reply = await client.answer(getTrace, { params, query: { fields: "auto" } });
    expect(reply).toEqual(await client.answer(getTrace, { params, query: { fields: field } }));
  }
});

test("only the reply that creates a project announces it", async () => {
  const secondProject = newProject(inject("service"));
  const [first, second] = [await secondProject.call(listTraces), await secondProject.call(listTraces)];

  expect([first, second].map(({ headers }) => headers["x-project-created"])).toEqual(["true", undefined]);
});
