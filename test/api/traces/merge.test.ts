import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";

const project = newProject(inject("service"));
const start = "2026-10-01T10:00:00.000000+00:00";
const later = "2026-10-02T10:00:00.000000+00:00";

/** Sends the bodies one after another with one new trace id. @returns the merged trace. */
const mergedTrace = async (...bodies: readonly object[]) => {
  const trace_id = randomUUID();
  for (const body of bodies) {
    await project.answer(createTrace, { body: { trace_id, name: "x", started_at: start, ...body } });
  }
  return project.answer(getTrace, { params: { trace_id } });
};

const full = {
  status: "ERROR",
  input: { a: 1 },
  output: "out",
  metadata: { k: "v" },
  ended_at: later,
  session_id: "s",
  user_id: "u",
  environment: "e",
  release: "r",
  tags: ["t"],
};

describe("a trace that is sent again", () => {
  test("keeps fields that the second request omits or sets to null", async () => {
    const nulls = { status: null, input: null, output: null, ended_at: null, session_id: null, user_id: null };

    const trace = await mergedTrace(full, { ...nulls, environment: null, release: null }, {});

    expect(trace).toMatchObject(full);
  });

  test("takes over the fields of the second request", async () => {
    const second = {
      name: "renamed",
      status: "COMPLETED",
      started_at: "2026-10-01T11:00:00.000000+00:00",
      ended_at: "2026-10-03T10:00:00.000000+00:00",
      input: [],
      output: "",
      session_id: "s2",
      user_id: "",
      environment: "e2",
      release: "r2",
    };

    const trace = await mergedTrace(full, second);

    expect(trace).toMatchObject(second);
  });

  test("merges metadata at the top level only", async () => {
    const trace = await mergedTrace({ metadata: { a: 1, deep: { x: 1 } } }, { metadata: { b: null, deep: { y: 2 } } });

    expect(trace.metadata).toEqual({ a: 1, b: null, deep: { y: 2 } });
  });

  test("merges its tags, without duplicates, sorted by code point", async () => {
    const trace = await mergedTrace({ tags: ["b", "a", "b"] }, { tags: ["\u{1f600}", "\uffff", "A", "a"] }, {});

    expect(trace.tags).toEqual(["A", "a", "b", "\uffff", "\u{1f600}"]);
  });

  test("keeps spans that are not sent again and merges those that are", async () => {
    const [a, b, parent] = [randomUUID(), randomUUID(), randomUUID()];
    const first = {
      span_id: a,
      parent_span_id: parent,
      name: "a",
      kind: "TOOL",
      status: "OK",
      input: 1,
      output: 2,
      model: "m",
      token_usage: { prompt_tokens: 1 },
      metadata: { k: 1 },
      started_at: start,
      ended_at: later,
      error: "e",
      completion_start_time: later,
      model_parameters: { t: 1 },
      cost: { total: 1 },
    };
    const newVersion = {
      span_id: a.toUpperCase(),
      parent_span_id: b,
      name: "a2",
      started_at: later,
      input: null,
      token_usage: null,
      cost: null,
      error: null,
      metadata: { l: 2 },
    };

    const { spans } = await mergedTrace(
      { spans: [first, { span_id: b, name: "b", started_at: start }] },
      { spans: [newVersion] },
    );

    expect(spans.map(({ span_id }) => span_id)).toEqual([b, a]);
    expect(spans[1]).toMatchObject({
      ...first,
      name: "a2",
      started_at: later,
      metadata: { k: 1, l: 2 },
      parent_span_id: parent,
    });
  });

  test("keeps the first parent of a span even when it is null", async () => {
    const span = { span_id: randomUUID(), name: "a", started_at: start };

    const { spans } = await mergedTrace({ spans: [span] }, { spans: [{ ...span, parent_span_id: randomUUID() }] });

    expect(spans).toMatchObject([{ parent_span_id: null }]);
  });

  test("applies in order a span that one request has twice", async () => {
    const span_id = randomUUID();
    const span = (fields: object) => ({ span_id, name: "a", started_at: start, ...fields });

    const { spans } = await mergedTrace({
      spans: [span({ output: 1, metadata: { a: 1 } }), span({ name: "b", metadata: { b: 2 } })],
    });

    expect(spans).toMatchObject([{ name: "b", output: 1, metadata: { a: 1, b: 2 } }]);
  });

  test("does not change when the request is the same", async () => {
    const params = { trace_id: randomUUID() };
    const spans = [{ span_id: randomUUID(), name: "y", started_at: start }];
    const body = { ...params, name: "x", started_at: start, ...full, spans };
    const otherProject = newProject(inject("service"));
    await otherProject.answer(createTrace, { body });
    const before = await otherProject.call(getTrace, { params });
    await Promise.all(Array.from({ length: 10 }, () => otherProject.answer(createTrace, { body })));

    const after = await otherProject.call(getTrace, { params });
    const { items, total } = await otherProject.answer(listTraces);

    expect(after.text).toBe(before.text);
    expect([items.length, total]).toEqual([1, 1]);
  });

  test("moves in the list when its start changes", async () => {
    const otherProject = newProject(inject("service"));
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const send = (trace_id: string, started_at: string) =>
      otherProject.answer(createTrace, { body: { trace_id, name: "x", started_at } });
    await send(a, "2026-10-01");
    await send(b, "2026-10-02");
    await send(c, "2026-10-03");
    await send(a, "2026-11-05T10:00:00Z");
    await send(c, "2026-10-01T23:00:00Z");

    const { items } = await otherProject.answer(listTraces);

    expect(items.map(({ trace_id }) => trace_id)).toEqual([a, b, c]);
    expect(items.map(({ started_at }) => started_at.slice(0, 10))).toEqual(["2026-11-05", "2026-10-02", "2026-10-01"]);
  });
});

describe("concurrent writers of one trace", () => {
  const writers = 20;

  const sendTogether = async (body: (writer: number) => object) => {
    const trace_id = randomUUID();
    await Promise.all(
      Array.from({ length: writers }, (_, writer) =>
        project.answer(createTrace, { body: { trace_id, name: "x", started_at: start, ...body(writer) } }),
      ),
    );
    return project.answer(getTrace, { params: { trace_id } });
  };

  test("lose none of each other's spans, tags and metadata", async () => {
    const writerIds = Array.from({ length: writers }, (_, writer) => writer);
    const trace = await sendTogether((writer) => ({
      tags: [`tag-${writer}`],
      metadata: { [`key-${writer}`]: writer },
      spans: [0, 1].map((part) => ({ name: `span-${writer}-${part}`, started_at: start })),
    }));

    const names = trace.spans.map(({ name }) => name);
    expect(names.toSorted()).toEqual(
      writerIds.flatMap((writer) => [0, 1].map((part) => `span-${writer}-${part}`)).toSorted(),
    );
    expect(trace.tags).toEqual(writerIds.map((writer) => `tag-${writer}`).toSorted());
    expect(trace.metadata).toEqual(Object.fromEntries(writerIds.map((writer) => [`key-${writer}`, writer])));
  });

  test("store the fields of one writer, never a mix", async () => {
    const trace = await sendTogether((writer) => ({
      name: `writer-${writer}`,
      input: writer,
      output: writer,
      started_at: `2026-10-${String(writer + 1).padStart(2, "0")}T00:00:00.000000+00:00`,
    }));

    const writer = Number(trace.name.slice("writer-".length));
    expect(trace).toMatchObject({
      input: writer,
      output: writer,
      started_at: `2026-10-${String(writer + 1).padStart(2, "0")}T00:00:00.000000+00:00`,
    });
  });
});
