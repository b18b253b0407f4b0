import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import {
  createLangfuseDataset,
  createLangfuseDatasetItem,
  createLangfuseDatasetRunItem,
} from "../../lib/contract/langfuse/datasets.ts";
import { langfuseObservation, langfuseTrace } from "../../lib/contract/langfuse/events.ts";
import { ingestLangfuse } from "../../lib/contract/langfuse/ingestion.ts";
import { createLangfuseScores, langfuseScore } from "../../lib/contract/langfuse/scores.ts";
import { langsmithFeedback } from "../../lib/contract/langsmith/feedback.ts";
import { ingestLangsmithBatch, langsmithRun } from "../../lib/contract/langsmith/runs.ts";
import { listTraceScores } from "../../lib/contract/scores/trace-scores.ts";
import { getTrace } from "../../lib/contract/traces/traces.ts";
import { inTurn } from "../support/in-turn.ts";
import { warningsOf } from "../support/reply-shape.ts";
import { sample } from "../support/sample.ts";
import { type Client, newProject } from "../support/service/client.ts";

const service = inject("service");
const started = new Date().toISOString();

/** Sends an item with junk beside a good one of the same trace. @returns what the reply says. */
type Send = (client: Client, trace: string, junk: Record<string, unknown>) => Promise<string>;

const event = (type: string, body: object, others: object = {}) => ({
  id: randomUUID(),
  type,
  timestamp: started,
  body,
  ...others,
});

const goodEvent = (traceId: string) => event("span-create", { id: "good", traceId, name: "good" });

const sendEvents = async (client: Client, batch: readonly object[], others: object = {}): Promise<string> => {
  const { headers, text } = await client.call(ingestLangfuse, { body: { batch, ...others } });
  return `${String(headers["x-warnings"])} ${text}`;
};

const eventWith =
  (type: string, fields: (traceId: string) => object): Send =>
  (client, traceId, junk) =>
    sendEvents(client, [goodEvent(traceId), event(type, { ...fields(traceId), ...junk })]);

const sendBatch = async (client: Client, trace: string, batch: Record<string, readonly object[]>, others = {}) => {
  const { post = [] } = batch;
  const good = { id: trace, trace_id: trace, name: "good", run_type: "chain", start_time: started };
  const { headers, text } = await client.call(ingestLangsmithBatch, {
    body: { ...batch, post: [good, ...post], ...others },
  });
  return `${String(headers["x-warnings"])} ${text}`;
};

const keysOf = ({ entries }: { readonly entries: object }, ...others: readonly string[]) => [
  ...Object.keys(entries),
  ...others,
];

/** Readers of other products, and the fields that their items may have. */
const readers: Readonly<Record<string, { readonly fields: readonly string[]; readonly send: Send }>> = {
  "a trace of Langfuse": {
    fields: keysOf(langfuseTrace, ..."input output environment release version tags metadata public".split(" ")),
    send: eventWith("trace-create", (id) => ({ id })),
  },
  "an observation of Langfuse": {
    fields: keysOf(
      langfuseObservation,
      ..."input output model modelParameters usage usageDetails costDetails completionStartTime promptName".split(" "),
      ..."promptVersion version environment metadata tags".split(" "),
    ),
    send: eventWith("generation-create", (traceId) => ({ id: "junk", traceId })),
  },
  "a score of Langfuse": {
    fields: keysOf(langfuseScore, "queueId"),
    send: eventWith("score-create", (traceId) => ({ traceId, name: "helpful", value: 1 })),
  },
  "an event of Langfuse": {
    fields: ["type"],
    send: (client, traceId, junk) =>
      sendEvents(client, [goodEvent(traceId), event("span-create", { id: "junk", traceId }, junk)]),
  },
  "a batch of Langfuse": {
    fields: ["events"],
    send: (client, traceId, junk) => sendEvents(client, [goodEvent(traceId)], junk),
  },
  "a run of LangSmith": {
    fields: keysOf(langsmithRun, "child_runs", "manifest_id"),
    send: (client, trace, junk) =>
      sendBatch(client, trace, {
        post: [{ id: randomUUID(), trace_id: trace, parent_run_id: trace, name: "junk", start_time: started, ...junk }],
      }),
  },
  "feedback of LangSmith": {
    fields: keysOf(langsmithFeedback, "comparative_experiment_id"),
    send: (client, trace, junk) =>
      sendBatch(client, trace, { feedback: [{ run_id: trace, trace_id: trace, key: "helpful", score: 1, ...junk }] }),
  },
  "a batch of LangSmith": {
    fields: ["posts", "runs"],
    send: (client, trace, junk) => sendBatch(client, trace, {}, junk),
  },
};

/** Ids are stored as the UUIDs that they name; a run's project is created. */
const isId = (field: string): boolean => /(?:^id|Id|_id)$/u.test(field) || field === "session_name";

const valuesOf = (marker: string) => [marker, { [marker]: marker }, [marker], [{ a: marker }], { a: [[marker]] }];

const cases = Object.entries(readers).flatMap(([reader, { fields }]) =>
  [...fields, "unknown_field"]
    .filter((field) => !isId(field))
    .flatMap((field) => valuesOf("").map((_, form) => ({ reader, field, form }))),
);

test.each([
  [createLangfuseDataset, { name: "kept", foo: 1 }, 200],
  [createLangfuseDatasetItem, { datasetName: "kept", id: "1", input: "x", foo: 1 }, 200],
  [createLangfuseDatasetRunItem, { runName: "r", datasetItemId: "1", traceId: randomUUID(), foo: 1 }, 200],
  [ingestLangfuse, { batch: [], foo: 1 }, 207],
])("a field that Langfuse's route does not read is named: $path", async (route, body, status) => {
  const client = newProject(service);
  await client.call(createLangfuseDataset, { body: { name: "kept" } });
  await client.call(createLangfuseDatasetItem, { body: { datasetName: "kept", id: "1", input: "x" } });

  const reply = await client.call(route, { body });

  expect(reply).toMatchObject({ status });
  expect(warningsOf(reply)).toEqual(["Fields of the body that are not read: foo."]);
});

test("an event of Langfuse whose timestamp is no datetime is stored with the time of arrival, which is told", async () => {
  const client = newProject(service);
  const batch = [{ ...goodEvent(randomUUID()), timestamp: "soon" }, goodEvent(randomUUID())];

  const reply = await client.call(ingestLangfuse, { body: { batch } });

  expect(reply.body).toMatchObject({ errors: [] });
  expect(warningsOf(reply)).toEqual([expect.stringContaining('"soon"')]);
});

test("a list of Langfuse's scores has the place of each one that is refused", async () => {
  const score = { traceId: randomUUID(), name: "helpful", value: 1 };

  const reply = await newProject(service).call(createLangfuseScores, { body: [score, { ...score, name: "" }] });

  expect(reply.body).toMatchObject({ accepted: 1, rejected: 1, errors: [{ index: 1 }] });
});

test("the project that a run of LangSmith names by its id stays with the run, also if a header names another one", async () => {
  const [client, trace, session_id] = [newProject(service), randomUUID(), randomUUID()];

  await sendBatch(client, trace, {
    post: [{ id: randomUUID(), trace_id: trace, name: "x", start_time: started, session_id }],
  });

  expect((await client.call(getTrace, { params: { trace_id: trace } })).text).toContain(session_id);
});

test("what is sent beside a good item is stored, or named in the reply, whatever its form", async () => {
  const client = newProject(service);

  const lost = await inTurn(sample("unread", cases, 4), async ({ reader, field, form }) => {
    const [trace, marker] = [randomUUID(), `m${randomUUID().replaceAll("-", "")}`];
    const value = valuesOf(marker)[form];
    const replyText = (await readers[reader]?.send(client, trace, { [field]: value })) ?? "";
    const stored = await client.call(getTrace, { params: { trace_id: trace } });
    const scores = await client.call(listTraceScores, { query: { trace_id: trace } });
    const isGood = stored.text.includes('"name":"good"');
    const isKept = `${stored.text}${scores.text}`.includes(marker) || replyText.includes(field);
    return isGood && isKept ? [] : [{ reader, field, value, isGood, replyText }];
  });

  expect(cases.length).toBeGreaterThan(300);
  expect(lost.flat()).toEqual([]);
});
