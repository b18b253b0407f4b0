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

const tagged = async (tags: readonly string[]): Promise<string> =>
  (await project.answer(createTrace, { body: { name: "x", started_at: start, tags } })).trace_id;

const tagsOf = async (trace_id: string): Promise<readonly string[]> =>
  (await project.answer(getTrace, { params: { trace_id } })).tags;

describe("tags of many traces", () => {
  test("are removed first and then added, and every trace that is there counts once", async () => {
    const [a, b] = [await tagged(["x", "y"]), await tagged(["z"])];
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

  test("are left alone when there is nothing to add or remove", async () => {
    const trace = await tagged(["x"]);

    const replies = await inTurn([{}, { add_tags: [], remove_tags: [] }, { remove_tags: ["other"] }], (tags) =>
      project.answer(tagTraces, { body: { trace_ids: [trace], ...tags } }),
    );

    expect(replies).toEqual([{ updated: 0 }, { updated: 0 }, { updated: 1 }]);
    expect(await tagsOf(trace)).toEqual(["x"]);
  });

  test("are at most 100 of each trace, and none is changed when one would have more", async () => {
    const many = Array.from({ length: 60 }, (_, index) => `many-${index}`);
    const more = Array.from({ length: 60 }, (_, index) => `more-${index}`);
    const [few, full] = [await tagged([]), await tagged(many)];

    const reply = await project.call(tagTraces, { body: { trace_ids: [few, full], add_tags: more } });
    const swap = await project.answer(tagTraces, {
      body: { trace_ids: [few, full], add_tags: more, remove_tags: many },
    });

    expect([reply.status, problems(reply)]).toEqual([422, ["body.add_tags"]]);
    expect(swap).toEqual({ updated: 2 });
    expect([(await tagsOf(few)).length, (await tagsOf(full)).length]).toEqual([60, 60]);
  });

  test("of another project's trace are not touched", async () => {
    const trace_id = randomUUID();
    const theirs = newProject(service, service.stranger);
    await theirs.answer(createTrace, { body: { trace_id, name: "x", started_at: start, tags: ["x"] } });

    const reply = await project.answer(tagTraces, { body: { trace_ids: [trace_id], add_tags: ["y"] } });

    expect(reply).toEqual({ updated: 0 });
    expect((await theirs.answer(getTrace, { params: { trace_id } })).tags).toEqual(["x"]);
  });

  test("lose none when many requests add them at once", async () => {
    const trace = await tagged([]);
    const tags = Array.from({ length: 10 }, (_, index) => `tag-${index}`);

    await Promise.all(tags.map((tag) => project.answer(tagTraces, { body: { trace_ids: [trace], add_tags: [tag] } })));

    expect(await tagsOf(trace)).toEqual(tags);
  });

  test("that are wrong are all named", async () => {
    const body = { trace_ids: [], add_tags: ["x".repeat(256)], remove_tags: Array.from({ length: 101 }, String) };

    const reply = await project.call(tagTraces, { body });

    expect([reply.status, problems(reply).toSorted()]).toEqual([
      422,
      ["body.add_tags.0", "body.remove_tags", "body.trace_ids"],
    ]);
  });
});

test("a trace whose tags would be more than 100 once they are united is refused, and stays as it was", async () => {
  const some = (prefix: string) => Array.from({ length: 60 }, (_, index) => `${prefix}-${index}`);
  const trace_id = await tagged(some("a"));

  const reply = await project.call(createTrace, {
    body: { trace_id, name: "renamed", started_at: start, tags: some("b") },
  });

  expect([reply.status, problems(reply)]).toEqual([422, ["body.tags"]]);
  expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject({ name: "x" });
  expect(await tagsOf(trace_id)).toHaveLength(60);
});

describe("many traces in one request", () => {
  const one = { name: "x", started_at: start };
  const post = (...traces: readonly unknown[]) => project.answer(createTraces, { body: { traces } });

  test("are stored, each with an outcome in its place", async () => {
    const given = randomUUID();
    const spans = [{ name: "step", started_at: start }];

    const { results } = await post({ ...one, name: "a" }, { ...one, trace_id: given.toUpperCase(), name: "b", spans });

    expect(results).toEqual([
      { index: 0, trace_id: expect.any(String) as string, status: 202 },
      { index: 1, trace_id: given, status: 202 },
    ]);
    const found = await Promise.all(
      results.map(({ trace_id }) => project.answer(getTrace, { params: { trace_id: trace_id ?? "" } })),
    );
    expect(found).toMatchObject([
      { name: "a", spans: [] },
      { name: "b", spans },
    ]);
  });

  test("do not hinder each other: what is wrong with one is told as if it had been sent alone", async () => {
    const full = { ...one, trace_id: randomUUID(), tags: Array.from({ length: 100 }, (_, index) => `a-${index}`) };
    await post(full);
    const wrong = [{}, 7, null, [], { ...one, name: "", spans: [{ ...one, kind: "X" }] }, { ...full, tags: ["b"] }];

    const { results } = await post(...wrong.flatMap((item) => [item, one]));

    expect(results.map(({ index }) => index)).toEqual(wrong.flatMap((_, at) => [at * 2, at * 2 + 1]));
    expect(results.filter(({ index }) => index % 2 === 1).map(({ status }) => status)).toEqual(wrong.map(() => 202));
    const refused = results.filter(({ index }) => index % 2 === 0);
    const alone = await Promise.all(wrong.map((body) => project.call(createTrace, { body })));
    expect(refused.map(({ status, detail, errors }) => ({ status, body: { detail, errors } }))).toEqual(
      alone.map(({ status, body }) => ({ status, body })),
    );
    expect(refused.map(({ trace_id }) => trace_id)).toEqual([null, null, null, null, null, full.trace_id]);
  });

  test("apply in order when they are one and the same trace", async () => {
    const trace_id = randomUUID();
    const sent = Array.from({ length: 8 }, (_, index) => ({
      ...one,
      trace_id,
      name: `name-${index}`,
      metadata: { [`key-${index}`]: index },
    }));

    await post(...sent);

    const found = await project.answer(getTrace, { params: { trace_id } });
    expect(found.name).toBe("name-7");
    expect(Object.keys(found.metadata)).toHaveLength(8);
  });

  test("get the same ids when the request is repeated, each its own", async () => {
    const request = { body: { traces: [one, one, one] }, headers: { "Idempotency-Key": randomUUID() } };

    const first = await project.answer(createTraces, request);
    const second = await project.answer(createTraces, request);

    expect(second).toEqual(first);
    expect(new Set(first.results.map(({ trace_id }) => trace_id)).size).toBe(3);
  });

  test("are 1 to 100 in a list", async () => {
    const bodies = [{}, { traces: [] }, { traces: Array.from({ length: 101 }, () => one) }, { traces: one }];

    const replies = await inTurn(bodies, (body) => project.call(createTraces, { body }));
    const { results } = await post(...Array.from({ length: 100 }, () => one));

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(bodies.map(() => [422, ["body.traces"]]));
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 202));
  });
});
