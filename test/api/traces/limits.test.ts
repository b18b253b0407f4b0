import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createSpans, tagTraces, updateSpan, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { deleteTraces } from "../../../lib/contract/traces/deletion.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { problems } from "../../support/reply-shape.ts";

const service = inject("service");
const start = "2026-10-01T10:00:00.000000+00:00";

/** A text of three-byte characters: the maximum size in bytes of a text with this length. */
const wide = (length: number, index = 0): string => `${index}`.padEnd(length, "\uffff");
const tags = (prefix: number) => Array.from({ length: 100 }, (_, index) => wide(255, prefix + index));

const widest = {
  name: wide(512),
  started_at: "2000-01-01T00:00:00.000001+00:00",
  ended_at: "9999-12-31T23:59:59.999999+00:00",
  session_id: wide(255),
  user_id: wide(255),
  environment: wide(255),
  release: wide(255),
  tags: tags(0),
};

/** Token count of each of a thousand spans, so that their trace has the maximum. */
const mostOfEach = Math.floor(Number.MAX_SAFE_INTEGER / 2_000);

/** Spans with different models and hours, and with the maximum token counts. */
const spans = (from: number) =>
  Array.from({ length: 500 }, (_, index) => ({
    span_id: randomUUID(),
    name: "x",
    started_at: new Date(Date.UTC(2026, 0, 1, from + index)).toISOString(),
    model: wide(255, from + index),
    token_usage: { prompt_tokens: mostOfEach, completion_tokens: mostOfEach },
    cost: { total: 1e308 },
  }));

test("a trace with the maximum of every field is stored, listed, updated and deleted", async () => {
  const project = newProject(service);
  const { trace_id } = await project.answer(createTrace, { body: { ...widest, spans: spans(0) } });
  const params = { trace_id };
  await project.answer(createSpans, { params, body: spans(500) });
  await project.answer(createTrace, { body: { trace_id, ...widest } });
  await project.answer(updateTrace, { params, body: { tags: tags(100), session_id: wide(255, 1) } });
  await project.answer(tagTraces, { body: { trace_ids: [trace_id], add_tags: tags(0), remove_tags: tags(100) } });
  const [first] = (await project.answer(getTrace, { params })).spans;
  await project.answer(updateSpan, {
    params: { trace_id, span_id: first?.span_id ?? "" },
    body: { model: wide(255, 9999), name: wide(512) },
  });

  const [trace, { items }] = [await project.answer(getTrace, { params }), await project.answer(listTraces)];

  expect(trace).toMatchObject({ ...widest, session_id: wide(255, 1), tags: tags(0).toSorted() });
  expect(trace.spans).toHaveLength(1000);
  expect(items).toMatchObject([{ trace_id, span_count: 1000 }]);
  expect(await project.answer(deleteTraces, { body: { trace_ids: [trace_id] } })).toEqual({ deleted: 1 });
});

test("a list that is far too long is refused with one error, without errors of its items", async () => {
  const project = newProject(service);
  const params = { trace_id: randomUUID() };
  // Errors of all items would exceed the size of a reply.
  const many = `[${"1,".repeat(200_000)}1]`;
  const trace = (field: string) => `{"name": "x", "started_at": "${start}", "${field}": ${many}}`;

  const replies = [
    await project.call(createTrace, { bytes: trace("tags") }),
    await project.call(createTrace, { bytes: trace("spans") }),
    await project.call(createTraces, { bytes: `{"traces": ${many}}` }),
    await project.call(createTraces, { bytes: `{"traces": [${trace("tags")}]}` }),
    await project.call(createSpans, { params, bytes: many }),
    await project.call(updateTrace, { params, bytes: `{"tags": ${many}}` }),
    await project.call(tagTraces, { bytes: `{"trace_ids": ${many}}` }),
    await project.call(deleteTraces, { bytes: `{"trace_ids": ${many}}` }),
  ];

  expect(replies.map((reply) => `${reply.status} ${reply.status === 422 ? problems(reply).join(" ") : ""}`)).toEqual([
    "422 body.tags",
    "422 body.spans",
    "422 body.traces",
    "202 ",
    "422 body",
    "422 body.tags",
    "422 body.trace_ids",
    "422 body.trace_ids",
  ]);
});

test("a batch of traces with every possible error gets a reply", async () => {
  const project = newProject(service);
  const wrong = { name: 1, status: "x".repeat(150), started_at: "soon", tags: 1, metadata: 1, ended_at: 1, user_id: 1 };
  const bad = { ...wrong, spans: Array.from({ length: 500 }, () => ({})) };

  const { results } = await project.answer(createTraces, { body: { traces: Array.from({ length: 100 }, () => bad) } });

  expect(results.map(({ status, detail }) => [status, detail?.length])).toEqual(
    results.map((_result, index) => [422, index === 0 ? 100 : 1]),
  );
});

test("a trace beyond the size of a function's buffered reply is updated and returned complete", async () => {
  const project = newProject(service);
  const { trace_id } = await project.answer(createTrace, { body: { name: "x", started_at: start } });
  const params = { trace_id };
  const large = [{ name: "large", started_at: start, input: "x".repeat(4_100_000) }];
  for (let count = 0; count < 2; count += 1) await project.answer(createSpans, { params, body: large });

  const patched = await project.call(updateTrace, { params, body: { name: "renamed" } });

  expect(patched).toMatchObject({
    status: 200,
    body: { name: "renamed", spans: [{ name: "large" }, { name: "large" }] },
  });
  expect(patched.text.length).toBeGreaterThan(8_000_000);
});
