import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { listSessionMetrics, listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { getDocs, getOpenApi } from "../../../lib/contract/openapi/documentation.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { createTraceRun, getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTraceScore, getTraceScores, updateTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { getConsole } from "../../../lib/contract/service.ts";
import { deleteSession, getSession } from "../../../lib/contract/sessions/sessions.ts";
import { createSpans, tagTraces, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { createTrace, getSpan, getTrace, listSpans, listTraces } from "../../../lib/contract/traces/traces.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { type Client, clientWith, newProject } from "../../support/service/client.ts";

const service = inject("service");
const client = newProject(service);

type Options = NonNullable<Parameters<Client["call"]>[1]>;

const tagOf = async (route: Route, options: Options = {}, caller = client): Promise<string> => {
  const { status, headers } = await caller.call(route, options);
  expect(status).toBe(200);
  expect(headers["etag"]).toMatch(/^W\/"[A-Za-z0-9_-]{22}"$/u);
  return headers["etag"] ?? "";
};

/** Status, ETag and length of the reply to a request with If-None-Match. */
const conditionalGet = async (tag: string, route: Route, options: Options = {}, caller = client) => {
  const reply = await caller.call(route, { ...options, headers: { ...options.headers, "If-None-Match": tag } });
  return { status: reply.status, tag: reply.headers["etag"], length: reply.text.length };
};

const unchanged = (tag: string) => ({ status: 304, tag, length: 0 });

const session_id = "s";
const span = { span_id: randomUUID(), name: "a", started_at: "2026-10-01", input: "b" };
let trace_id: string;
beforeAll(async () => {
  const body = { name: "a", started_at: "2026-10-01", session_id, spans: [span] };
  ({ trace_id } = await client.answer(createTrace, { body }));
});

const documents: readonly (readonly [string, Route, () => Options])[] = [
  ["a trace", getTrace, () => ({ params: { trace_id } })],
  ["the skeleton of a trace", getTrace, () => ({ params: { trace_id }, query: { fields: "skeleton" } })],
  ["a span", getSpan, () => ({ params: { trace_id, span_id: span.span_id } })],
  ["a page of spans", listSpans, () => ({ params: { trace_id }, query: { limit: 1 } })],
  ["a session", getSession, () => ({ params: { session_id } })],
  ["the skeleton of a session", getSession, () => ({ params: { session_id }, query: { fields: "skeleton" } })],
  ["a page of a session", getSession, () => ({ params: { session_id }, query: { limit: 7 } })],
];

test.each(documents)("%s is answered 304 for its ETag until its trace changes", async (_name, route, options) => {
  const changes: (() => Promise<unknown>)[] = [
    () => client.answer(tagTraces, { body: { trace_ids: [trace_id], add_tags: [randomUUID()] } }),
    () => client.answer(updateTrace, { params: { trace_id }, body: { output: randomUUID() } }),
    () =>
      client.answer(createSpans, {
        params: { trace_id },
        body: [{ span_id: randomUUID(), name: "late", started_at: "2026-10-01" }],
      }),
  ];
  let tag = await tagOf(route, options());

  for (const change of changes) {
    expect(await conditionalGet(tag, route, options())).toEqual(unchanged(tag));
    await change();
    const next = await conditionalGet(tag, route, options());
    expect(next).toMatchObject({ status: 200, tag: expect.stringMatching(/^W\//u) });
    expect(next.tag).not.toBe(tag);
    expect(next.tag).toBe(await tagOf(route, options()));
    tag = next.tag ?? "";
  }
});

test("each form of a document has its own ETag, and so has each project's copy", async () => {
  const otherProject = newProject(service);
  const sameTrace = { trace_id, name: "a", started_at: "2026-10-01", session_id, spans: [span] };
  await otherProject.answer(createTrace, { body: sameTrace });
  const tags = await Promise.all(documents.map(([, route, options]) => tagOf(route, options())));
  const otherTags = await Promise.all(documents.map(([, route, options]) => tagOf(route, options(), otherProject)));

  expect(new Set([...tags, ...otherTags]).size).toBe(2 * documents.length);
  expect(await conditionalGet(tags.join(", "), getTrace, { params: { trace_id } }, otherProject)).toMatchObject({
    status: 200,
  });
});

test("a document that is deleted or does not exist is 404 whatever the ETag", async () => {
  const body = { name: "a", started_at: "2026-10-01", session_id: "gone", spans: [span] };
  const { trace_id: gone } = await client.answer(createTrace, { body });
  const requests: readonly (readonly [Route, Options])[] = [
    [getTrace, { params: { trace_id: gone } }],
    [getSpan, { params: { trace_id: gone, span_id: span.span_id } }],
    [getSession, { params: { session_id: "gone" } }],
  ];
  const tags = await Promise.all(requests.map(([route, options]) => tagOf(route, options)));
  const missing = { params: { trace_id: gone, span_id: randomUUID() } };
  const [star, tagged] = [
    await conditionalGet("*", getSpan, missing),
    await conditionalGet(tags.join(","), getSpan, missing),
  ];
  await client.answer(deleteTrace, { params: { trace_id: gone } });
  await client.call(deleteSession, { params: { session_id: "gone" } });

  for (const [index, [route, options]] of requests.entries()) {
    expect((await conditionalGet(tags[index] ?? "", route, options)).status).toBe(404);
    expect((await conditionalGet("*", route, options)).status).toBe(404);
  }
  expect([star.status, tagged.status]).toEqual([404, 404]);
});

test("a trace that is stored again under a deleted id has another ETag", async () => {
  const body = { trace_id: randomUUID(), name: "a", started_at: "2026-10-01" };
  const params = { trace_id: body.trace_id };
  await client.answer(createTrace, { body });
  const before = await tagOf(getTrace, { params });
  await client.answer(deleteTrace, { params });
  await client.answer(createTrace, { body });

  expect(await conditionalGet(before, getTrace, { params })).toMatchObject({ status: 200 });
});

test("scores, runs, metrics and lists are answered 304 for their ETags too", async () => {
  const { id } = await client.answer(createTraceScore, { body: { trace_id, name: "quality", value: 0.5 } });
  const run = await client.answer(createTraceRun, {
    body: { metrics: ["task_completion"], filters: { tags: ["none"] } },
  });
  // The reply for the run changes until the run has ended.
  await endedRun(client, run);
  const scores = { params: { score_id: trace_id } };
  const requests: readonly (readonly [Route, Options])[] = [
    [getTraceScores, scores],
    [getTraceRun, { params: { run_id: run.id } }],
    [listTraceMetrics, {}],
    [listSessionMetrics, {}],
    [listTraces, { query: { started_after: "2026-09-30", started_before: "2026-10-02" } }],
  ];

  for (const [route, options] of requests) {
    const tag = await tagOf(route, options);
    expect(await conditionalGet(tag, route, options)).toEqual(unchanged(tag));
  }
  const before = await tagOf(getTraceScores, scores);
  await client.answer(updateTraceScore, { params: { score_id: id }, body: { value: "0.75" } });
  expect(await conditionalGet(before, getTraceScores, scores)).toMatchObject({ status: 200 });
});

test.each([getDocs, getConsole, getOpenApi])("$path is answered 304 for its ETag", async (route) => {
  const anyone = clientWith(service, {});
  const tag = await tagOf(route, {}, anyone);
  const elsewhere = await tagOf(route, { headers: { Host: "localhost:9000" } }, anyone);

  expect(await conditionalGet(`"other", ${tag.slice(2)}`, route, {}, anyone)).toEqual(unchanged(tag));
  expect(await conditionalGet("*", route, {}, anyone)).toEqual(unchanged(tag));
  expect(elsewhere === tag).toBe(route !== getDocs);
});

test("shared caches must not store the documents of a project", async () => {
  const [{ headers: traceHeaders }, { headers: missingHeaders }, { headers: publicHeaders }] = [
    await client.call(getTrace, { params: { trace_id } }),
    await client.call(getTrace, { params: { trace_id: randomUUID() } }),
    await clientWith(service, {}).call(getDocs),
  ];

  for (const headers of [traceHeaders, missingHeaders]) {
    expect(headers).toMatchObject({
      vary: "Accept-Encoding, Authorization, X-API-Key, X-Project-ID, X-Project-Name, X-Organization-ID, Origin",
      "cache-control": "private, no-cache",
    });
  }
  expect(publicHeaders).toMatchObject({
    vary: "Accept, Accept-Encoding, Origin",
    "cache-control": "public, max-age=300",
  });
});
