import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";

const project = newProject(inject("service"));
const start = "2026-10-01T10:00:00.000000+00:00";
const later = "2026-10-02T10:00:00.000000+00:00";

/** Sends the bodies one after another under one new trace id. @returns the trace they make. */
const sent = async (...bodies: readonly object[]) => {
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
  test("keeps what the second sending leaves out or sets to null", async () => {
    const nulls = { status: null, input: null, output: null, ended_at: null, session_id: null, user_id: null };

    const found = await sent(full, { ...nulls, environment: null, release: null }, {});

    expect(found).toMatchObject(full);
  });

  test("takes over what the second sending says", async () => {
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

    const found = await sent(full, second);

    expect(found).toMatchObject(second);
  });

  test("merges metadata key by key and no deeper", async () => {
    const found = await sent({ metadata: { a: 1, deep: { x: 1 } } }, { metadata: { b: null, deep: { y: 2 } } });

    expect(found.metadata).toEqual({ a: 1, b: null, deep: { y: 2 } });
  });

  test("unites its tags, each once, by code point", async () => {
    const found = await sent({ tags: ["b", "a", "b"] }, { tags: ["\u{1f600}", "\uffff", "A", "a"] }, {});

    expect(found.tags).toEqual(["A", "a", "b", "\uffff", "\u{1f600}"]);
  });

  test("keeps the spans that are not sent again and merges those that are", async () => {
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
    const again = {
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

    const { spans } = await sent({ spans: [first, { span_id: b, name: "b", started_at: start }] }, { spans: [again] });

    expect(spans.map(({ span_id }) => span_id)).toEqual([b, a]);
    expect(spans[1]).toMatchObject({
      ...first,
      name: "a2",
      started_at: later,
      metadata: { k: 1, l: 2 },
      parent_span_id: parent,
    });
  });

  test("keeps the first parent of a span even when that is none", async () => {
    const span = { span_id: randomUUID(), name: "a", started_at: start };

    const { spans } = await sent({ spans: [span] }, { spans: [{ ...span, parent_span_id: randomUUID() }] });

    expect(spans).toMatchObject([{ parent_span_id: null }]);
  });

  test("applies a span that one request has twice in order", async () => {
    const span_id = randomUUID();
    const span = (more: object) => ({ span_id, name: "a", started_at: start, ...more });

    const { spans } = await sent({
      spans: [span({ output: 1, metadata: { a: 1 } }), span({ name: "b", metadata: { b: 2 } })],
    });

    expect(spans).toMatchObject([{ name: "b", output: 1, metadata: { a: 1, b: 2 } }]);
  });

  test("changes nothing when it is the same", async () => {
    const params = { trace_id: randomUUID() };
    const spans = [{ span_id: randomUUID(), name: "y", started_at: start }];
    const body = { ...params, name: "x", started_at: start, ...full, spans };
    const own = newProject(inject("service"));
    await own.answer(createTrace, { body });
    const before = await own.call(getTrace, { params });
    await Promise.all(Array.from({ length: 10 }, () => own.answer(createTrace, { body })));

    const after = await own.call(getTrace, { params });
    const { items, total } = await own.answer(listTraces);

    expect(after.text).toBe(before.text);
    expect([items.length, total]).toEqual([1, 1]);
  });

  test("moves in the list when its start changes", async () => {
    const own = newProject(inject("service"));
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const send = (trace_id: string, started_at: string) =>
      own.answer(createTrace, { body: { trace_id, name: "x", started_at } });
    await send(a, "2026-10-01");
    await send(b, "2026-10-02");
    await send(c, "2026-10-03");
    await send(a, "2026-11-05T10:00:00Z");
    await send(c, "2026-10-01T23:00:00Z");

    const { items } = await own.answer(listTraces);

    expect(items.map(({ trace_id }) => trace_id)).toEqual([a, b, c]);
    expect(items.map(({ started_at }) => started_at.slice(0, 10))).toEqual(["2026-11-05", "2026-10-02", "2026-10-01"]);
  });
});

describe("writers of one trace at the same time", () => {
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
    const all = Array.from({ length: writers }, (_, writer) => writer);
    const found = await sendTogether((writer) => ({
      tags: [`tag-${writer}`],
      metadata: { [`key-${writer}`]: writer },
      spans: [0, 1].map((part) => ({ name: `span-${writer}-${part}`, started_at: start })),
    }));

    const names = found.spans.map(({ name }) => name);
    expect(names.toSorted()).toEqual(
      all.flatMap((writer) => [0, 1].map((part) => `span-${writer}-${part}`)).toSorted(),
    );
    expect(found.tags).toEqual(all.map((writer) => `tag-${writer}`).toSorted());
    expect(found.metadata).toEqual(Object.fromEntries(all.map((writer) => [`key-${writer}`, writer])));
  });

  test("leave what one of them said, never a mix", async () => {
    const found = await sendTogether((writer) => ({
      name: `writer-${writer}`,
      input: writer,
      output: writer,
      started_at: `2026-10-${String(writer + 1).padStart(2, "0")}T00:00:00.000000+00:00`,
    }));

    const writer = Number(found.name.slice("writer-".length));
    expect(found).toMatchObject({
      input: writer,
      output: writer,
      started_at: `2026-10-${String(writer + 1).padStart(2, "0")}T00:00:00.000000+00:00`,
    });
  });
});
