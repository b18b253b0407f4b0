import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const start = "2026-10-01T10:00:00.000000+00:00";

const storeTrace = async (body: object) => {
  const { trace_id } = await project.answer(createTrace, { body });
  return project.answer(getTrace, { params: { trace_id } });
};

describe("a stored trace", () => {
  test("is returned with every field that was sent", async () => {
    const [trace_id, parent, child] = [randomUUID(), randomUUID(), randomUUID()];
    const trace = {
      trace_id,
      name: "refund-agent",
      status: "ERROR",
      input: { question: "Where is order 1042?", parts: [1, "two", null, true, { three: 3 }] },
      output: "in the post",
      metadata: { customer: { tier: "gold" }, empty: {}, none: null },
      started_at: start,
      ended_at: "2026-10-01T10:00:02.500000+00:00",
      session_id: "s/1#x",
      user_id: "user 1",
      tags: ["b", "a"],
      environment: "production",
      release: "1.2.3",
    };
    const spans = [
      {
        span_id: child,
        parent_span_id: parent,
        name: "generate",
        kind: "LLM",
        status: "OK",
        input: [{ role: "user", content: "Hi" }],
        output: 0,
        model: "gpt-5",
        token_usage: { prompt_tokens: 100, completion_tokens: 20, cached: { read: 3 } },
        metadata: { k: "v" },
        started_at: "2026-10-01T10:00:01.000000+00:00",
        ended_at: "2026-10-01T10:00:02.250000+00:00",
        error: "",
        completion_start_time: "2026-10-01T10:00:01.000500+00:00",
        model_parameters: { temperature: 0.25 },
        cost: { total: 0.125, currency: "EUR" },
      },
      { span_id: parent, name: "agent", kind: "AGENT", status: "ERROR", started_at: start, error: "boom" },
    ];
    const nothing = { input: null, output: null, model: null, token_usage: null, metadata: {}, ended_at: null };
    const derived = { completion_start_time: null, model_parameters: null, cost: null };

    const storedTrace = await storeTrace({ ...trace, spans });

    const { project_id, ...fields } = storedTrace;
    expect(project_id).toMatch(uuid);
    expect(fields).toEqual({
      ...trace,
      tags: ["a", "b"],
      spans: [
        {
          ...nothing,
          ...derived,
          ...spans[1],
          parent_span_id: null,
          trace_id,
          latency_ms: null,
          time_to_first_token_ms: null,
        },
        { ...spans[0], trace_id, latency_ms: 1250, time_to_first_token_ms: 0.5 },
      ],
      total_tokens: 120,
      total_cost: 0.125,
      unpriced_tokens: 0,
    });
  });

  test("needs only a name and a start, and gets ids and defaults for the other fields", async () => {
    const reply = await project.call(createTrace, {
      body: { name: "x", started_at: start, spans: [{ name: "y", started_at: start }] },
    });
    const storedTrace = await project.answer(getTrace, { params: { trace_id: reply.body.trace_id } });

    expect(reply).toMatchObject({ status: 202, body: { task_id: reply.headers["x-request-id"] } });
    expect(storedTrace).toMatchObject({ status: "COMPLETED", input: null, metadata: {}, tags: [], session_id: null });
    expect(storedTrace.spans).toMatchObject([
      {
        span_id: expect.stringMatching(uuid) as string,
        kind: "OTHER",
        status: "UNSET",
        metadata: {},
        token_usage: null,
      },
    ]);
  });

  test("is found by its id in any case", async () => {
    const id = randomUUID();
    await project.answer(createTrace, { body: { trace_id: id.toUpperCase(), name: "x", started_at: start } });

    const storedTrace = await project.answer(getTrace, { params: { trace_id: id } });

    expect(storedTrace.trace_id).toBe(id);
  });

  test("can be read immediately, also when many are written at once", async () => {
    const ids = Array.from({ length: 30 }, () => randomUUID());
    const traces = await Promise.all(
      ids.map((trace_id) => storeTrace({ trace_id, name: trace_id, started_at: start })),
    );

    expect(traces.map(({ name }) => name)).toEqual(ids);
  });

  test("can have the same id in another project without affecting the first", async () => {
    const otherProject = newProject(inject("service"));
    const [trace_id, span_id] = [randomUUID(), randomUUID()];
    const body = (name: string) => ({
      trace_id,
      name,
      started_at: start,
      spans: [{ span_id, name, started_at: start }],
    });
    await project.answer(createTrace, { body: body("mine") });
    await otherProject.answer(createTrace, { body: body("theirs") });

    const [mine, theirs] = await Promise.all(
      [project, otherProject].map((each) => each.answer(getTrace, { params: { trace_id } })),
    );

    expect([mine?.name, mine?.spans[0]?.name]).toEqual(["mine", "mine"]);
    expect([theirs?.name, theirs?.spans[0]?.name]).toEqual(["theirs", "theirs"]);
  });

  test("keeps a span whose id another trace has too", async () => {
    const span = { span_id: randomUUID(), name: "shared", started_at: start };
    const [a, b] = [
      await storeTrace({ name: "a", started_at: start, spans: [span] }),
      await storeTrace({ name: "b", started_at: start, spans: [{ ...span, name: "other" }] }),
    ];

    expect([a.spans[0]?.name, b.spans[0]?.name]).toEqual(["shared", "other"]);
  });

  test("may have spans in a cycle, without a root or with a missing parent", async () => {
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()].toSorted() as [string, string, string];
    const span = (span_id: string, parent_span_id: string) => ({
      span_id,
      parent_span_id,
      name: "x",
      started_at: start,
    });

    const { spans } = await storeTrace({
      name: "x",
      started_at: start,
      spans: [span(b, a), span(a, b), span(c, c)],
    });

    expect(spans.map(({ span_id, parent_span_id }) => [span_id, parent_span_id])).toEqual([
      [a, b],
      [b, a],
      [c, c],
    ]);
  });

  test("may end before it starts, and then has no latency", async () => {
    const early = "2026-10-01T09:00:00.000000+00:00";
    const storedTrace = await storeTrace({
      name: "x",
      started_at: start,
      ended_at: early,
      spans: [{ name: "y", started_at: start, ended_at: early }],
    });

    expect(storedTrace).toMatchObject({ ended_at: early, spans: [{ ended_at: early, latency_ms: null }] });
  });

  test("sums up tokens and cost, with fractions of a token rounded in the total", async () => {
    const span = (token_usage: object | null, cost: object | null) => ({
      name: "x",
      started_at: start,
      token_usage,
      cost,
    });
    const storedTrace = await storeTrace({
      name: "x",
      started_at: start,
      spans: [
        span({ prompt_tokens: 10.25, completion_tokens: null, total_tokens: 12.5 }, { total: 0.5, input: 7 }),
        span({ completion_tokens: 5.5, other: "x" }, { total: null }),
        span(null, null),
      ],
    });

    expect(storedTrace).toMatchObject({ total_tokens: 18, total_cost: 0.5 });
  });
});

describe("the limits of a trace", () => {
  const span = { name: "y", started_at: start };
  const spans = (count: number) => Array.from({ length: count }, () => span);
  const send = (fields: object) => project.call(createTrace, { body: { name: "x", started_at: start, ...fields } });

  test.each([
    ["500 spans", { spans: spans(500) }],
    ["100 tags of 255 characters", { tags: Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(255, "t")) }],
    ["a name of 512 characters", { name: "n".repeat(512) }],
    ["a name of one blank", { name: " " }],
    [
      "labels of 255 characters",
      { session_id: "s".repeat(255), user_id: "u".repeat(255), environment: "e".repeat(255), release: "r".repeat(255) },
    ],
    ["empty labels", { session_id: "", user_id: "", environment: "", release: "" }],
    ["nulls for optional fields", { status: null, input: null, ended_at: null, session_id: null, trace_id: null }],
    ["10,000 keys", { metadata: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [index, 0])) }],
    ["unknown fields", { foo: 1, project_id: randomUUID(), created_at: "x", total_cost: -1 }],
  ])("%s are accepted", async (_name, fields) => {
    const reply = await send(fields);

    expect(reply.status).toBe(202);
  });

  test.each([
    ["501 spans", { spans: spans(501) }, ["spans"]],
    ["101 tags", { tags: Array.from({ length: 101 }, String) }, ["tags"]],
    ["a tag of 256 characters", { tags: ["a", "t".repeat(256)] }, ["tags.1"]],
    ["a tag that is not a text", { tags: [1] }, ["tags.0"]],
    ["null for tags, metadata and spans", { tags: null, metadata: null, spans: null }, ["metadata", "tags", "spans"]],
    ["an empty name", { name: "" }, ["name"]],
    ["a name of 513 characters", { name: "n".repeat(513) }, ["name"]],
    ["labels of 256 characters", { session_id: "s".repeat(256), user_id: "u".repeat(256) }, ["session_id", "user_id"]],
    ["a status in lower case", { status: "completed" }, ["status"]],
    ["an invalid id", { trace_id: "1" }, ["trace_id"]],
    [
      "spans with flaws",
      { spans: [{ ...span, kind: "TOOLS" }, { started_at: start }] },
      ["spans.0.kind", "spans.1.name"],
    ],
    [
      "10,001 keys",
      { metadata: Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [index, 0])) },
      ["metadata"],
    ],
    [
      "token counts that are none",
      { spans: [{ ...span, token_usage: { prompt_tokens: "1", completion_tokens: -1 } }] },
      ["spans.0.token_usage.prompt_tokens", "spans.0.token_usage.completion_tokens"],
    ],
    ["an invalid cost", { spans: [{ ...span, cost: { total: [1] } }] }, ["spans.0.cost.total"]],
    ["metadata that is not an object", { metadata: [] }, ["metadata"]],
  ])("%s are refused", async (_name, extraFields, fields) => {
    const reply = await send(extraFields);

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(fields.map((field) => `body.${field}`));
  });

  test("include 10,000 spans, sent at once or in several requests", async () => {
    const trace_id = randomUUID();
    for (let part = 0; part < 20; part += 1) {
      expect(await send({ trace_id, spans: spans(500) })).toMatchObject({ status: 202 });
    }

    const full = await send({ trace_id, spans: [span] });
    const storedTrace = await project.answer(getTrace, { params: { trace_id } });

    expectStatus(full, 413);
    expect(storedTrace.spans).toHaveLength(10_000);
  });
});

describe("a trace sent with an idempotency key", () => {
  const body = { name: "x", started_at: start, spans: [{ name: "y", started_at: start }] };

  test.each(["Idempotency-Key", "X-Request-ID"])("%s gets the same ids however often it is sent", async (header) => {
    const headers = { [header]: `key-${randomUUID()}` };
    const replies = await Promise.all(Array.from({ length: 5 }, () => project.answer(createTrace, { body, headers })));
    const traces = await Promise.all(replies.map(({ trace_id }) => project.answer(getTrace, { params: { trace_id } })));

    expect(new Set(replies.map(({ trace_id }) => trace_id)).size).toBe(1);
    expect(traces.every(({ spans }) => spans.length === 1)).toBe(true);
  });

  test("gets different ids with another key or in another project", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await project.answer(createTrace, { body, headers });
    const otherReplies = await Promise.all([
      project.answer(createTrace, { body, headers: { "Idempotency-Key": randomUUID() } }),
      newProject(inject("service")).answer(createTrace, { body, headers }),
    ]);

    expect(new Set([first, ...otherReplies].map(({ trace_id }) => trace_id)).size).toBe(3);
  });

  test.each(["k".repeat(256), "a b", "ключ"])("is refused when the key is %j", async (key) => {
    const reply = await project.call(createTrace, {
      body,
      headers: { "Idempotency-Key": Buffer.from(key).toString("latin1") },
    });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["header.Idempotency-Key"]);
  });
});
