import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { createSpans, updateSpan, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createTrace, getTrace, listSpans } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { newProject } from "../../support/service/client.ts";
import { problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));
const start = "2026-10-01T10:00:00.000000+00:00";
const later = "2026-10-01T10:00:05.000000+00:00";

const full = {
  name: "support-agent",
  status: "RUNNING",
  input: { question: 1 },
  output: "so far",
  metadata: { a: 1, deep: { x: 1 } },
  ended_at: later,
  session_id: "s",
  user_id: "u",
  environment: "e",
  release: "r",
  tags: ["a", "b"],
};

const step = {
  name: "lookup",
  kind: "TOOL",
  status: "OK",
  input: 1,
  output: 2,
  model: "m",
  token_usage: { prompt_tokens: 3, completion_tokens: 4 },
  metadata: { k: 1 },
  started_at: start,
  ended_at: later,
  error: "e",
  completion_start_time: later,
  model_parameters: { t: 1 },
  cost: { total: 0.5 },
};

/** Stores a trace with one span. */
const storeTrace = async () => {
  const [trace_id, span_id] = [randomUUID(), randomUUID()];
  const body = { trace_id, started_at: start, ...full, spans: [{ span_id, ...step }] };
  await project.answer(createTrace, { body });
  return { trace_id, span_id };
};

const readTrace = (trace_id: string) => project.answer(getTrace, { params: { trace_id } });

describe("an update of a trace", () => {
  test("changes only the fields that it has", async () => {
    const { trace_id } = await storeTrace();
    const before = await readTrace(trace_id);

    const changed = await project.answer(updateTrace, {
      params: { trace_id },
      body: { name: "renamed", status: "ERROR", output: [null], environment: "" },
    });

    expect(changed).toEqual({ ...before, name: "renamed", status: "ERROR", output: [null], environment: "" });
    expect(await readTrace(trace_id)).toEqual(changed);
  });

  test("clears optional fields with null, and keeps the others", async () => {
    const { trace_id } = await storeTrace();
    const before = await readTrace(trace_id);
    const nulls = Object.fromEntries(Object.keys(full).map((field) => [field, null]));

    const changed = await project.answer(updateTrace, { params: { trace_id }, body: nulls });

    expect(changed).toEqual({
      ...before,
      input: null,
      output: null,
      ended_at: null,
      session_id: null,
      user_id: null,
      environment: null,
      release: null,
    });
    expect(await readTrace(trace_id)).toEqual(changed);
  });

  test("merges metadata at the top level only, and replaces tags, sorted and without duplicates", async () => {
    const { trace_id } = await storeTrace();

    const changed = await project.answer(updateTrace, {
      params: { trace_id },
      body: { metadata: { b: null, deep: { y: 2 } }, tags: ["z", "c", "z"] },
    });

    expect(changed).toMatchObject({ metadata: { a: 1, b: null, deep: { y: 2 } }, tags: ["c", "z"] });
    expect(await readTrace(trace_id)).toEqual(changed);
  });

  test("without fields changes nothing", async () => {
    const { trace_id } = await storeTrace();
    const before = await readTrace(trace_id);

    const changed = await project.answer(updateTrace, { params: { trace_id }, body: {} });

    expect(changed).toEqual(before);
  });

  test("cannot change its start, its id and its spans", async () => {
    const { trace_id } = await storeTrace();
    const before = await readTrace(trace_id);

    const changed = await project.answer(updateTrace, {
      params: { trace_id },
      body: { started_at: "2020-01-01", trace_id: randomUUID(), project_id: randomUUID(), spans: [] },
    });

    expect(changed).toEqual(before);
  });

  test("persists when the trace is sent again without the updated fields", async () => {
    const { trace_id } = await storeTrace();
    await project.answer(updateTrace, { params: { trace_id }, body: { output: null, user_id: "other", tags: [] } });
    await project.answer(createTrace, { body: { trace_id, name: "again", started_at: start, tags: ["c"] } });

    expect(await readTrace(trace_id)).toMatchObject({ name: "again", output: null, user_id: "other", tags: ["c"] });
  });

  test("of a trace that does not exist is answered 404", async () => {
    const trace_id = randomUUID();

    const reply = await project.call(updateTrace, { params: { trace_id }, body: { name: "x" } });

    expect(reply).toMatchObject({ status: 404, body: { detail: `Trace ${trace_id} not found.` } });
  });

  test("with several errors is refused with all of them, and changes nothing", async () => {
    const { trace_id } = await storeTrace();
    const before = await readTrace(trace_id);
    const body = {
      name: "",
      status: "DONE",
      metadata: [],
      ended_at: "soon",
      tags: ["x".repeat(256)],
      session_id: "s".repeat(256),
      user_id: 7,
    };

    const reply = await project.call(updateTrace, { params: { trace_id }, body });

    expect([reply.status, problems(reply).toSorted()]).toEqual([
      422,
      ["body.ended_at", "body.metadata", "body.name", "body.session_id", "body.status", "body.tags.0", "body.user_id"],
    ]);
    expect(await readTrace(trace_id)).toEqual(before);
  });
});

describe("an update of a span", () => {
  test("changes only the fields that it has", async () => {
    const { trace_id, span_id } = await storeTrace();
    const [before] = (await readTrace(trace_id)).spans;

    const changed = await project.answer(updateSpan, {
      params: { trace_id, span_id: span_id.toUpperCase() },
      body: { name: "renamed", status: "ERROR", metadata: { l: 2 }, cost: { total: 1, currency: "EUR" }, span_id: "x" },
    });

    const after = {
      ...before,
      name: "renamed",
      status: "ERROR",
      metadata: { k: 1, l: 2 },
      cost: { total: 1, currency: "EUR" },
    };
    expect(changed).toEqual(after);
    expect(await readTrace(trace_id)).toMatchObject({ spans: [after], total_cost: 1, total_tokens: 7 });
  });

  test("clears optional fields with null, and keeps the others", async () => {
    const { trace_id, span_id } = await storeTrace();
    const nulls = Object.fromEntries(Object.keys(step).map((field) => [field, null]));

    const changed = await project.answer(updateSpan, { params: { trace_id, span_id }, body: nulls });

    expect(changed).toMatchObject({
      name: "lookup",
      kind: "TOOL",
      status: "OK",
      started_at: start,
      metadata: { k: 1 },
      input: null,
      output: null,
      model: null,
      token_usage: null,
      ended_at: null,
      error: null,
      completion_start_time: null,
      model_parameters: null,
      cost: null,
      latency_ms: null,
      time_to_first_token_ms: null,
    });
    expect(await readTrace(trace_id)).toMatchObject({ spans: [changed], total_cost: 0, total_tokens: 0 });
  });

  test("of a span or a trace that does not exist is answered 404", async () => {
    const { trace_id, span_id } = await storeTrace();
    const wrong = [
      { trace_id, span_id: randomUUID() },
      { trace_id: randomUUID(), span_id },
    ];

    const replies = await inTurn(wrong, (params) => project.call(updateSpan, { params, body: { name: "x" } }));

    expect(replies.map(({ status, text }) => `${status} ${text}`)).toEqual(
      wrong.map((at) => `404 {"detail":"Span ${at.span_id} not found on trace ${at.trace_id}."}`),
    );
  });
});

describe("late spans", () => {
  test("are added in one request, with their ids in the order of the request", async () => {
    const { trace_id } = await storeTrace();
    const givenId = randomUUID();
    const body = [
      { name: "b", started_at: later },
      { span_id: givenId.toUpperCase(), name: "c", started_at: later },
      { name: "a", started_at: later },
    ];

    const { span_ids } = await project.answer(createSpans, { params: { trace_id }, body });

    const { spans } = await readTrace(trace_id);
    const names = new Map(spans.map(({ span_id, name }) => [span_id, name]));
    expect(span_ids.map((id) => names.get(id))).toEqual(["b", "c", "a"]);
    expect(span_ids[1]).toBe(givenId);
    expect(spans).toHaveLength(4);
  });

  test("are merged with spans of the same id", async () => {
    const { trace_id, span_id } = await storeTrace();
    const newVersion = { span_id, name: "again", started_at: later, input: null, metadata: { l: 2 } };

    await project.answer(createSpans, { params: { trace_id }, body: [newVersion] });

    const { spans } = await readTrace(trace_id);
    expect(spans).toMatchObject([{ ...step, name: "again", started_at: later, metadata: { k: 1, l: 2 } }]);
  });

  test("are listed with the others by start, in pages, as the trace has them", async () => {
    const { trace_id, span_id } = await storeTrace();
    const params = { trace_id };
    const ids = [randomUUID(), randomUUID()].toSorted();
    const body = ids.toReversed().map((id) => ({ span_id: id, name: "late", started_at: later, input: "x" }));
    await project.answer(createSpans, { params, body });

    const first = await project.answer(listSpans, { params, query: { limit: 2 } });
    const cursor = first.next_cursor ?? "";
    const second = await project.answer(listSpans, { params, query: { limit: 2, cursor } });
    const skeletons = await project.answer(listSpans, { params, query: { offset: 2, fields: "skeleton" } });
    const { spans } = await readTrace(trace_id);

    expect(spans.map((each) => each.span_id)).toEqual([span_id, ...ids]);
    expect(first).toMatchObject({ items: spans.slice(0, 2), total: 3, limit: 2, offset: 0 });
    expect(second).toMatchObject({ items: spans.slice(2), total: 3, next_cursor: null });
    expect(skeletons.items).toMatchObject([{ ...spans[2], input: null }]);
    expect(await project.call(listSpans, { params: { trace_id: randomUUID() } })).toMatchObject({ status: 404 });
  });

  test("get the same ids when the request is repeated", async () => {
    const { trace_id } = await storeTrace();
    const request = {
      params: { trace_id },
      body: [{ name: "b", started_at: later }],
      headers: { "Idempotency-Key": randomUUID() },
    };
    const first = await project.answer(createSpans, request);

    const second = await project.answer(createSpans, request);

    expect(second).toEqual(first);
    expect((await readTrace(trace_id)).spans).toHaveLength(2);
  });

  test("of a trace that does not exist are answered 404", async () => {
    const trace_id = randomUUID();

    const reply = await project.call(createSpans, { params: { trace_id }, body: [{ name: "x", started_at: start }] });

    expect(reply).toMatchObject({ status: 404, body: { detail: `Trace ${trace_id} not found.` } });
  });

  test("must be a list of 1 to 500 valid spans", async () => {
    const { trace_id } = await storeTrace();
    const span = { name: "x", started_at: start };
    const bodies = [[], {}, { spans: [span] }, Array.from({ length: 501 }, () => span), [span, { name: "" }, 7]];

    const replies = await inTurn(bodies, (body) => project.call(createSpans, { params: { trace_id }, body }));

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual([
      ...Array.from({ length: 4 }, () => [422, ["body"]]),
      [422, ["body.1.name", "body.1.started_at", "body.2"]],
    ]);
    expect((await readTrace(trace_id)).spans).toHaveLength(1);
  });

  test("are all kept when many requests add them at once", async () => {
    const { trace_id, span_id } = await storeTrace();
    const writers = Array.from({ length: 7 }, (_, writer) => `writer-${writer}`);

    await Promise.all(
      writers.flatMap((name) => [
        project.answer(createSpans, { params: { trace_id }, body: [{ name, started_at: later }] }),
        project.answer(updateTrace, { params: { trace_id }, body: { metadata: { [name]: true } } }),
        project.answer(updateSpan, { params: { trace_id, span_id }, body: { metadata: { [name]: true } } }),
      ]),
    );

    const { spans, metadata } = await readTrace(trace_id);
    expect(spans.map(({ name }) => name).toSorted()).toEqual(["lookup", ...writers].toSorted());
    for (const keys of [Object.keys(metadata), Object.keys(spans[0]?.metadata ?? {})]) {
      expect(keys).toEqual(expect.arrayContaining(writers));
    }
  });
});
