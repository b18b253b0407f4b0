import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { tagTraces } from "../../../lib/contract/traces/changes.ts";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { newProject } from "../../support/service/client.ts";
import { problems } from "../../support/reply-shape.ts";

const service = inject("service");
const project = newProject(service);
const start = "2026-10-01T10:00:00.000000+00:00";

const createTagged = async (tags: readonly string[]): Promise<string> =>
  (await project.answer(createTrace, { body: { name: "x", started_at: start, tags } })).trace_id;

const tagsOf = async (trace_id: string): Promise<readonly string[]> =>
  (await project.answer(getTrace, { params: { trace_id } })).tags;

describe("tags of many traces", () => {
  test("are removed first and then added, and the reply counts every existing trace once", async () => {
    const [a, b] = [await createTagged(["x", "y"]), await createTagged(["z"])];
    const body = {
      trace_ids: [a, b, a.toUpperCase(), randomUUID()],
      add_tags: ["y", "n", "n"],
      remove_tags: ["x", "y", "never"],
    };

    const reply = await project.answer(tagTraces, { body });

    expect(reply).toEqual({ updated: 2 });
    expect([await tagsOf(a), await tagsOf(b)]).toEqual([
      ["n", "y"],
      ["n", "y", "z"],
    ]);
  });

  test("do not change when there is nothing to add or remove", async () => {
    const trace = await createTagged(["x"]);

    const replies = await inTurn([{}, { add_tags: [], remove_tags: [] }, { remove_tags: ["other"] }], (tags) =>
      project.answer(tagTraces, { body: { trace_ids: [trace], ...tags } }),
    );

    expect(replies).toEqual([{ updated: 0 }, { updated: 0 }, { updated: 1 }]);
    expect(await tagsOf(trace)).toEqual(["x"]);
  });

  test("are limited to 100 of each trace, and no trace changes when one would exceed the limit", async () => {
    const many = Array.from({ length: 60 }, (_, index) => `many-${index}`);
    const extraTags = Array.from({ length: 60 }, (_, index) => `more-${index}`);
    const [few, full] = [await createTagged([]), await createTagged(many)];

    const reply = await project.call(tagTraces, { body: { trace_ids: [few, full], add_tags: extraTags } });
    const swap = await project.answer(tagTraces, {
      body: { trace_ids: [few, full], add_tags: extraTags, remove_tags: many },
    });

    expect([reply.status, problems(reply)]).toEqual([422, ["body.add_tags"]]);
    expect(swap).toEqual({ updated: 2 });
    expect([(await tagsOf(few)).length, (await tagsOf(full)).length]).toEqual([60, 60]);
  });

  test("of another project's trace do not change", async () => {
    const trace_id = randomUUID();
    const theirs = newProject(service, service.stranger);
    await theirs.answer(createTrace, { body: { trace_id, name: "x", started_at: start, tags: ["x"] } });

    const reply = await project.answer(tagTraces, { body: { trace_ids: [trace_id], add_tags: ["y"] } });

    expect(reply).toEqual({ updated: 0 });
    expect((await theirs.answer(getTrace, { params: { trace_id } })).tags).toEqual(["x"]);
  });

  test("are all kept when many requests add them at once", async () => {
    const trace = await createTagged([]);
    const tags = Array.from({ length: 10 }, (_, index) => `tag-${index}`);

    await Promise.all(tags.map((tag) => project.answer(tagTraces, { body: { trace_ids: [trace], add_tags: [tag] } })));

    expect(await tagsOf(trace)).toEqual(tags);
  });

  test("that are invalid are all listed in the error", async () => {
    const body = { trace_ids: [], add_tags: ["x".repeat(256)], remove_tags: Array.from({ length: 101 }, String) };

    const reply = await project.call(tagTraces, { body });

    expect([reply.status, problems(reply).toSorted()]).toEqual([
      422,
      ["body.add_tags.0", "body.remove_tags", "body.trace_ids"],
    ]);
  });
});

test("a trace whose merged tags would exceed 100 is refused and does not change", async () => {
  const tagsWith = (prefix: string) => Array.from({ length: 60 }, (_, index) => `${prefix}-${index}`);
  const trace_id = await createTagged(tagsWith("a"));

  const reply = await project.call(createTrace, {
    body: { trace_id, name: "renamed", started_at: start, tags: tagsWith("b") },
  });

  expect([reply.status, problems(reply)]).toEqual([422, ["body.tags"]]);
  expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject({ name: "x" });
  expect(await tagsOf(trace_id)).toHaveLength(60);
});

describe("many traces in one request", () => {
  const traceBody = { name: "x", started_at: start };
  const post = (...traces: readonly unknown[]) => project.answer(createTraces, { body: { traces } });

  test("are stored, each with a result at its index", async () => {
    const givenId = randomUUID();
    const spans = [{ name: "step", started_at: start }];

    const { results } = await post(
      { ...traceBody, name: "a" },
      { ...traceBody, trace_id: givenId.toUpperCase(), name: "b", spans },
    );

    expect(results).toEqual([
      { index: 0, trace_id: expect.any(String) as string, status: 202 },
      { index: 1, trace_id: givenId, status: 202 },
    ]);
    const storedTraces = await Promise.all(
      results.map(({ trace_id }) => project.answer(getTrace, { params: { trace_id: trace_id ?? "" } })),
    );
    expect(storedTraces).toMatchObject([
      { name: "a", spans: [] },
      { name: "b", spans },
    ]);
  });

  test("are independent: the error of an invalid trace is the same as in a request of its own", async () => {
    const full = {
      ...traceBody,
      trace_id: randomUUID(),
      tags: Array.from({ length: 100 }, (_, index) => `a-${index}`),
    };
    await post(full);
    const wrong = [
      {},
      7,
      null,
      [],
      { ...traceBody, name: "", spans: [{ ...traceBody, kind: "X" }] },
      { ...full, tags: ["b"] },
    ];

    const { results } = await post(...wrong.flatMap((item) => [item, traceBody]));

    expect(results.map(({ index }) => index)).toEqual(wrong.flatMap((_, at) => [at * 2, at * 2 + 1]));
    expect(results.filter(({ index }) => index % 2 === 1).map(({ status }) => status)).toEqual(wrong.map(() => 202));
    const refusals = results.filter(({ index }) => index % 2 === 0);
    const alone = await Promise.all(wrong.map((body) => project.call(createTrace, { body })));
    expect(refusals.map(({ status, detail, errors }) => ({ status, body: { detail, errors } }))).toEqual(
      alone.map(({ status, body }) => ({ status, body })),
    );
    expect(refusals.map(({ trace_id }) => trace_id)).toEqual([null, null, null, null, null, full.trace_id]);
  });

  test.each<[name: string, field: string, status: number, message: string | null]>([
    ["half an emoji", String.raw`"input":"cut \ud83d"`, 202, null],
    ["half an emoji in a key", String.raw`"metadata":{"\udc00":1}`, 202, null],
    [
      "150 nested lists",
      `"input":${"[".repeat(150)}${"]".repeat(150)}`,
      422,
      "Input should be nested at most 100 levels deep",
    ],
    ["a number that is not finite", '"metadata":{"a":[1e999]}', 422, "Number is not finite"],
    [
      "too many keys",
      `"input":{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":1`).join(",")}}`,
      422,
      "Object should have at most 10000 keys",
    ],
    ["a bad id", '"trace_id":"x"', 422, "Input should be a valid UUID"],
  ])("with %s do not affect the others", async (_name, field, status, message) => {
    const text = JSON.stringify(traceBody);
    const bytes = `{"traces":[${text.slice(0, -1)},${field}},${text}]}`;

    const { results } = await project.answer(createTraces, { bytes });

    expect(results.map((each) => each.status)).toEqual([status, 202]);
    expect(results[0]?.errors?.[0]?.message ?? null).toBe(message);
  });

  test("are applied in order when all have the same trace id", async () => {
    const trace_id = randomUUID();
    const versions = Array.from({ length: 8 }, (_, index) => ({
      ...traceBody,
      trace_id,
      name: `name-${index}`,
      metadata: { [`key-${index}`]: index },
    }));

    await post(...versions);

    const storedTrace = await project.answer(getTrace, { params: { trace_id } });
    expect(storedTrace.name).toBe("name-7");
    expect(Object.keys(storedTrace.metadata)).toHaveLength(8);
  });

  test("change a trace as requests of their own do, also when one of them is refused", async () => {
    const tags = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
    const spanId = randomUUID();
    const items = [
      { name: "a", started_at: start, tags: tags("a", 60), input: "first", metadata: { a: 1, b: 1 } },
      {
        name: "b",
        started_at: "2026-10-01T11:00:00.000000+00:00",
        tags: tags("b", 3),
        spans: [{ ...traceBody, span_id: spanId, input: 1 }],
      },
      {
        name: "c",
        started_at: start,
        metadata: { b: 2 },
        spans: [
          { ...traceBody, span_id: spanId, output: 2 },
          { name: "later", started_at: "2026-10-01T10:00:01.000000+00:00" },
        ],
      },
    ];
    const refused = [
      { name: "d", started_at: start, tags: tags("d", 60) },
      { name: "e", started_at: "1990-01-01" },
    ];
    for (const list of [items, [...items, ...refused, { name: "f", started_at: start }]]) {
      const [together, apart] = [randomUUID(), randomUUID()];
      const { results } = await post(...list.map((item) => ({ ...item, trace_id: together })));
      const replies = await inTurn(list, (item) => project.call(createTrace, { body: { ...item, trace_id: apart } }));

      expect(results.map(({ status }) => status)).toEqual(replies.map(({ status }) => status));
      const [one, other] = await inTurn([together, apart], (trace_id) =>
        project.answer(getTrace, { params: { trace_id } }),
      );
      const withoutIds = (trace: typeof one) => ({
        ...trace,
        trace_id: "",
        spans: trace?.spans.map((span) => ({ ...span, trace_id: "", span_id: span.span_id === spanId ? "given" : "" })),
      });
      expect(withoutIds(one)).toEqual(withoutIds(other));
    }
  });

  test("get the same ids when the request is repeated, a different one for each trace", async () => {
    const request = {
      body: { traces: [traceBody, traceBody, traceBody] },
      headers: { "Idempotency-Key": randomUUID() },
    };

    const first = await project.answer(createTraces, request);
    const second = await project.answer(createTraces, request);

    expect(second).toEqual(first);
    expect(new Set(first.results.map(({ trace_id }) => trace_id)).size).toBe(3);
  });

  test("must be a list of 1 to 100", async () => {
    const bodies = [
      {},
      { traces: [] },
      { traces: Array.from({ length: 101 }, () => traceBody) },
      { traces: traceBody },
    ];

    const replies = await inTurn(bodies, (body) => project.call(createTraces, { body }));
    const { results } = await post(...Array.from({ length: 100 }, () => traceBody));

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(bodies.map(() => [422, ["body.traces"]]));
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 202));
  });
});
