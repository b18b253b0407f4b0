import { randomBytes } from "node:crypto";
import { expect, inject, test } from "vitest";
import { eraseUser } from "../../../lib/contract/access/trace-users.ts";
import { createLangfuseDataset, createLangfuseDatasetItem } from "../../../lib/contract/langfuse/datasets.ts";
import { createLangsmithFeedback } from "../../../lib/contract/langsmith/feedback.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { deleteSession } from "../../../lib/contract/sessions/sessions.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { deleteTrace, deleteTraces } from "../../../lib/contract/traces/deletion.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { spanUuid, traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { inTurn } from "../../support/in-turn.ts";
import { erasures } from "../../support/erasure.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { itemsOf } from "../../support/traces/purge.ts";

const service = inject("service");
const { database, erase } = erasures();

const startedAt = new Date().toISOString();
const deletionMessage = expect.stringContaining("trace_deleted");

/** A late request with a trace, and the reply that tells its rejection. */
interface LateRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly reply: object;
}

const lateRequests = (traceHex: string, spanHex: string, item: string): Readonly<Record<string, LateRequest>> => {
  const [traceId, spanId] = [traceUuid(traceHex), spanUuid(traceHex, spanHex)];
  const gone = { status: 404, body: { detail: deletionMessage } };
  const spans = {
    body: jsonExport([jsonSpan(traceHex, spanHex), jsonSpan(traceHex, randomBytes(8).toString("hex"))]),
    reply: { status: 200, body: { partialSuccess: { rejectedSpans: "2", errorMessage: deletionMessage } } },
  };
  const logRecord = {
    timeUnixNano: `${Date.now()}000000`,
    eventName: "gen_ai.user.message",
    body: { kvlistValue: { values: [{ key: "content", value: { stringValue: "hi" } }] } },
    traceId: traceHex,
    spanId: spanHex,
    attributes: [],
  };
  const run = { id: traceId, trace_id: traceId, name: "late", run_type: "chain", start_time: startedAt };
  const flaw = { loc: ["body", "runs"], msg: deletionMessage };
  const runs = { body: { post: [run], patch: [run] }, reply: { status: 422, body: { detail: [flaw] } } };
  const score = { traceId: traceHex, name: "late", value: 1 };
  const events = [
    ["score-create", score],
    ["trace-create", { id: traceHex }],
    ["span-create", { id: spanHex, traceId: traceHex }],
  ] as const;
  return {
    createSpans: { params: { trace_id: traceId }, body: [{ name: "late", started_at: startedAt }], reply: gone },
    updateTrace: { params: { trace_id: traceId }, body: { name: "late" }, reply: gone },
    updateSpan: { params: { trace_id: traceId, span_id: spanId }, body: { name: "late" }, reply: gone },
    exportTraces: spans,
    exportTracesLangfuse: spans,
    exportTracesLangsmith: spans,
    exportTracesLangsmithEndpoint: spans,
    exportLogs: {
      body: { resourceLogs: [{ scopeLogs: [{ logRecords: [logRecord] }] }] },
      reply: { status: 200, body: { partialSuccess: { rejectedLogRecords: "1", errorMessage: deletionMessage } } },
    },
    ingestLangsmithRuns: runs,
    ingestLangsmithBatch: runs,
    createLangsmithRun: { body: run, reply: { status: 422, body: { detail: [{ ...flaw, loc: ["body"] }] } } },
    updateLangsmithRun: {
      params: { run_id: traceId },
      body: { end_time: startedAt },
      reply: { status: 404, body: { detail: deletionMessage } },
    },
    createTraceScore: { body: { trace_id: traceId, name: "late", value: 1 }, reply: gone },
    putTraceScore: {
      params: { score_id: traceId },
      body: { trace_id: traceId, name: "late", value: 1 },
      reply: gone,
    },
    createLangsmithFeedback: {
      body: { trace_id: traceId, run_id: traceId, key: "late", score: 1 },
      reply: { status: 422, body: { detail: [{ msg: deletionMessage }] } },
    },
    updateLangsmithFeedback: { params: { feedback_id: traceId }, body: { score: 1 }, reply: { status: 404 } },
    createLangfuseScores: { body: score, reply: { status: 422, body: { detail: [{ msg: deletionMessage }] } } },
    createLangfuseDatasetRunItem: {
      body: { runName: "late", datasetItemId: item, traceId: traceHex },
      reply: { status: 404, body: { detail: deletionMessage } },
    },
    ingestLangfuse: {
      body: { batch: events.map(([type, body]) => ({ id: type, type, timestamp: startedAt, body })) },
      reply: { status: 207, body: { errors: events.map(([id]) => ({ id, status: 404, message: deletionMessage })) } },
    },
  };
};

/** Routes that begin a new trace explicitly. */
const explicit = [createTrace.id, createTraces.id];

/** Routes that share a function with those above, and read only. */
const reading = ["listLangsmithSessions"];

const storesOfTrace = ({ handler, grants: { bodies = [] } }: Route): boolean =>
  handler === createTraceScore.handler || [bodies].flat().some((action) => action === "PutItem");

test("every route that may store something of a trace is tried, or begins a new one explicitly", () => {
  const storing = routes.filter(storesOfTrace).map(({ id }) => id);
  const triedIds = Object.keys(lateRequests("1".repeat(32), "1".repeat(16), "item"));

  expect(storing.toSorted()).toEqual([...triedIds, ...explicit, ...reading].toSorted());
  expect(triedIds).toContain(createLangsmithFeedback.id);
});

const withItsUser = "with its user";

const deletions: Readonly<Record<string, (client: Client, trace_id: string) => Promise<unknown>>> = {
  "by its id": (client, trace_id) => client.answer(deleteTrace, { params: { trace_id } }),
  "in a batch": (client, trace_id) => client.answer(deleteTraces, { body: { trace_ids: [trace_id] } }),
  "with its session": (client) => client.answer(deleteSession, { params: { session_id: "chat" } }),
  [withItsUser]: async (client) => {
    const { id } = await client.answer(eraseUser, { query: { user_id: "Zoë" } });
    await erase(id);
  },
};

test.each(Object.entries(deletions))(
  "a trace deleted %s is brought back by POST /traces only, and by nothing if its user was erased",
  async (how, remove) => {
    const client = newProject(service);
    const [traceHex, spanHex] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
    const trace_id = traceUuid(traceHex);
    // Sent again it names no user.
    const body = { trace_id, name: "first", started_at: startedAt, session_id: "chat" };
    await client.answer(createTrace, { body: { ...body, user_id: "Zoë" } });
    const { name: datasetName } = await client.answer(createLangfuseDataset, { body: { name: "deleted" } });
    const { id: item } = await client.answer(createLangfuseDatasetItem, { body: { datasetName, input: 1 } });
    const { project_id } = await client.answer(getTrace, { params: { trace_id } });
    await remove(client, trace_id);

    /** Sends the trace again by the routes that begin a new one, with its start and with another one. */
    const sentAgain = async (): Promise<readonly unknown[]> => {
      const traces = [body, { ...body, started_at: new Date(Date.now() - 60_000).toISOString() }];
      const replies = await inTurn(traces, (each) => client.call(createTrace, { body: each }));
      const { results } = await client.answer(createTraces, { body: { traces } });
      return [
        ...replies.map(({ status, text }) => [status, text]),
        ...results.map(({ status, detail }) => [status, detail]),
      ];
    };

    /** Sends every late request, and compares the replies. */
    const sendAll = async (): Promise<void> => {
      const requests = Object.entries(lateRequests(traceHex, spanHex, item));
      const replies = await inTurn(requests, async ([id, { params = {}, body: lateBody }]) => {
        const route = routes.find((each) => each.id === id);
        return [id, route === undefined ? null : await client.call(route, { params, body: lateBody })];
      });
      expect(replies).toMatchObject(requests.map(([id, { reply }]) => [id, reply]));
      expect(how === withItsUser ? await sentAgain() : []).toEqual(
        Array.from({ length: how === withItsUser ? 4 : 0 }, () => [404, deletionMessage]),
      );
      expect((await client.call(getTrace, { params: { trace_id } })).status).toBe(404);
      expect((await client.page(listTraces)).items).toEqual([]);
    };

    await sendAll();
    await eventually(async () => (await itemsOf(database, project_id)).deletedPointers[0]);
    await sendAll();
    expect((await itemsOf(database, project_id)).bodies).toEqual([]);
    if (how === withItsUser) return;

    const results = await client.answer(createTraces, { body: { traces: [{ ...body, name: "second" }] } });
    const late = await client.call(routes.find(({ id }) => id === "exportTraces") ?? createTrace, {
      body: jsonExport([jsonSpan(traceHex, spanHex)]),
    });

    expect(results).toMatchObject({ results: [{ status: 202, trace_id }] });
    expect(late).toMatchObject({ status: 200, body: {} });
    const { name, spans } = await client.answer(getTrace, { params: { trace_id } });
    expect([name, spans.length]).toEqual(["second", 1]);
  },
);
