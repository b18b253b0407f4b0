import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { ingestLangfuse } from "../../../lib/contract/langfuse/ingestion.ts";
import { createLangfuseScores } from "../../../lib/contract/langfuse/scores.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { getTrace, listSpans, listTraces } from "../../../lib/contract/traces/traces.ts";
import { namedUuid } from "../../../lib/domain/uuid.ts";
import { langfuseProgram } from "../../support/integrations.ts";

const service = inject("service");
const time = (second: number): string => `2026-11-21T09:00:0${second}.000Z`;
const instant = (second: number): string => `2026-11-21T09:00:0${second}.000000+00:00`;
const event = (type: string, body: unknown, second = 0) => ({ id: randomUUID(), type, timestamp: time(second), body });

/** Sends each list of events in a request of its own. */
const sent = async (...requests: readonly (readonly object[])[]) => {
  const { program, project } = langfuseProgram(service);
  const replies = [];
  for (const batch of requests) replies.push(await program.answer(ingestLangfuse, { body: { batch } }));
  return { program, project, replies };
};

const media = "@@@langfuseMedia:type=image/png|id=47DEQpj8HBSa-_TImW-5JC|source=bytes@@@";

const traceEvents = [
  event("trace-create", {
    id: "order 1042",
    timestamp: time(1),
    name: "support",
    userId: 7,
    sessionId: "s-1",
    release: "r-1",
    version: "v-1",
    environment: "prod",
    tags: ["b", "a"],
    public: true,
    metadata: { plan: "pro", user_id: "x", "otel.external_id": "forged" },
    input: { question: "Where?" },
  }),
  event("trace-create", { id: "order 1042", timestamp: time(5), output: "Here.", tags: ["c"] }, 9),
];
const generationCreate = event(
  "generation-create",
  {
    id: "step 1",
    traceId: "order 1042",
    parentObservationId: "root",
    name: "chat",
    startTime: time(2),
    model: "gpt-4o",
    modelParameters: { temperature: 0.2 },
    input: [{ role: "user", content: media }],
    promptName: "greeting",
    promptVersion: 3,
    version: "v-2",
    metadata: { step: 1 },
  },
  2,
);
const generationUpdate = event(
  "generation-update",
  {
    id: "step 1",
    traceId: "order 1042",
    endTime: time(4),
    completionStartTime: time(3),
    output: { role: "assistant", content: "Here." },
    usage: { input: 1, output: 1, unit: "TOKENS" },
    usageDetails: { input: 10, output: 5, total: 15 },
    costDetails: { input: 0.1, output: 0.2, total: 0.3 },
    level: "WARNING",
    statusMessage: "slow",
  },
  4,
);
const spanEvents = [
  event("span-create", { id: "root", traceId: "order 1042", name: "root", startTime: time(1) }, 1),
  event("span-update", { id: "root", traceId: "order 1042", endTime: time(4), level: "ERROR", statusMessage: "boom" }),
  event("event-create", { id: "e", traceId: "order 1042", parentObservationId: "root", name: "note" }, 3),
];

test("every field of Langfuse's events has its place, whatever comes first", async () => {
  const { project, replies } = await sent(
    [generationUpdate],
    [...spanEvents, ...traceEvents],
    [generationCreate, generationCreate],
  );
  const trace = await project.answer(getTrace, { params: { trace_id: "order 1042" } });
  const { items } = await project.page(listTraces);

  expect(replies.flatMap(({ errors }) => errors)).toEqual([]);
  expect(replies.flatMap(({ successes }) => successes)).toHaveLength(8);
  const { spans, ...fields } = trace;
  const traceId = namedUuid(trace.project_id, "order 1042");
  const id = (text: string): string => namedUuid(traceId, text);
  const ofTrace = {
    trace_id: traceId,
    name: "support",
    status: "ERROR",
    started_at: instant(1),
    ended_at: instant(4),
    session_id: "s-1",
    user_id: "7",
    release: "r-1",
    environment: "prod",
    tags: ["a", "b", "c"],
    total_tokens: 15,
    total_cost: 0.3,
    prompts: [{ name: "greeting", version: "3" }],
  };
  expect(fields).toMatchObject({
    ...ofTrace,
    external_id: "order 1042",
    input: { question: "Where?" },
    output: "Here.",
    metadata: { plan: "pro", user_id: "x", "langfuse.version": "v-1", "langfuse.public": true },
  });
  // The row that lists read agrees with the document.
  expect(items).toMatchObject([{ ...ofTrace, span_count: 3 }]);
  expect(Object.fromEntries(spans.map((span) => [span.name, span]))).toMatchObject({
    root: { span_id: id("root"), parent_span_id: null, kind: "CHAIN", status: "ERROR", error: "boom" },
    note: { kind: "OTHER", parent_span_id: id("root"), started_at: instant(3), ended_at: instant(3) },
    chat: {
      span_id: id("step 1"),
      external_id: "step 1",
      parent_span_id: id("root"),
      kind: "LLM",
      status: "UNSET",
      error: null,
      model: "gpt-4o",
      model_parameters: { temperature: 0.2 },
      input: [{ role: "user", content: media }],
      output: [{ role: "assistant", content: "Here." }],
      token_usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      cost: { prompt: 0.1, completion: 0.2, total: 0.3 },
      started_at: instant(2),
      ended_at: instant(4),
      completion_start_time: instant(3),
      metadata: {
        step: 1,
        "otel.status_message": "slow",
        "otel.attributes": { "langfuse.version": "v-2", "langfuse.observation.level": "WARNING" },
      },
    },
  });
});

test("a trace is found by the text of its id, by scores and their list too, and other routes take UUIDs only", async () => {
  const { program, project } = await sent([event("trace-create", { id: "Läuft / 1", name: "t" })]);
  const score = await program.answer(createLangfuseScores, {
    body: { traceId: "Läuft / 1", observationId: "o", name: "q", value: 1 },
  });
  const early = await program.answer(createLangfuseScores, { body: { traceId: "early", name: "q", value: 1 } });
  const trace = await project.answer(getTrace, { params: { trace_id: "early" } });
  const { items } = await project.page(listTraceScores, { query: { trace_id: "Läuft / 1" } });
  const missing = await project.call(getTrace, { params: { trace_id: "another" } });
  const spans = await project.call(listSpans, { params: { trace_id: "early" } });

  expect([score, early]).toEqual([{ id: expect.any(String) }, { id: expect.any(String) }]);
  expect(trace).toMatchObject({ external_id: "early", trace_id: namedUuid(trace.project_id, "early") });
  const traceId = namedUuid(trace.project_id, "Läuft / 1");
  expect(items).toMatchObject([{ trace_id: traceId, span_id: namedUuid(traceId, "o") }]);
  expect([missing.status, spans.status]).toEqual([404, 422]);
});

test("ids that are UUIDs, or hex digits as OpenTelemetry has them, are kept", async () => {
  const [uuid, hex] = [randomUUID(), randomUUID().replaceAll("-", "")];
  const { project } = await sent([
    event("span-create", { id: hex.slice(16).toUpperCase(), traceId: hex.toUpperCase(), name: "a" }),
    event("span-create", { id: uuid.toUpperCase(), traceId: hex, parentObservationId: hex.slice(16), name: "b" }),
  ]);
  const trace = await project.answer(getTrace, { params: { trace_id: hex } });

  const spanId = trace.spans.find(({ name }) => name === "a")?.span_id;
  expect(spanId?.replaceAll("-", "")).toBe(hex.slice(16) + hex.slice(16));
  expect(trace.spans.find(({ name }) => name === "b")).toMatchObject({ span_id: uuid, parent_span_id: spanId });
  expect([trace, ...trace.spans].filter((each) => "external_id" in each)).toEqual([]);
});

test("an update that names no trace belongs to that of its create, or is refused", async () => {
  const { project, replies } = await sent(
    [event("span-create", { id: "a", name: "alone" })],
    [
      event("span-update", { id: "b", output: "of a create" }),
      event("span-create", { id: "b", traceId: "named", name: "b" }),
      event("span-update", { id: "a", output: "of a stored one" }),
      event("span-update", { id: "c", output: "of none" }),
    ],
  );
  const alone = await project.answer(getTrace, { params: { trace_id: "a" } });
  const named = await project.answer(getTrace, { params: { trace_id: "named" } });

  expect(replies[1]?.successes).toHaveLength(3);
  expect(replies[1]?.errors).toMatchObject([{ status: 400, message: expect.stringMatching(/^traceId: /u) }]);
  expect([alone.spans, named.spans]).toMatchObject([[{ output: "of a stored one" }], [{ output: "of a create" }]]);
  expect((await project.page(listTraces)).items).toHaveLength(2);
});

test("each event has one outcome, and a bad one loses no other one", async () => {
  const events = [
    event("trace-create", { id: "t", name: "good" }),
    event("span-create", { id: "s", traceId: "t", name: "bad", startTime: "yesterday" }),
    event("span-create", { id: "s", traceId: "t", startTime: "1999-01-01T00:00:00Z" }),
    event("dataset-create", {}),
    event("span-create", "no object"),
    event("span-create", { id: { a: 1 }, traceId: "t" }),
    event("sdk-log", { log: "x" }),
    event("score-create", { traceId: "t", name: "q", value: 1 }),
    event("generation-create", { id: 5, traceId: "t", name: 6, model: 7, usage: "many", tags: 8 }),
    7,
  ];
  const { project, replies } = await sent(events as readonly object[]);
  const trace = await project.answer(getTrace, { params: { trace_id: "t" } });

  const [{ successes, errors } = { successes: [], errors: [] }] = replies;
  expect(successes.map(({ id }) => events.findIndex((each) => Object(each).id === id))).toEqual([0, 6, 7, 8]);
  expect(errors.map(({ message }) => message)).toEqual([
    "startTime: Input should be a valid datetime or date",
    expect.stringContaining("A trace may start from"),
    "type: dataset-create is no type of an event.",
    "body: Input should be a valid dictionary",
    "id: Input should be a valid string",
    "An event is a JSON object",
  ]);
  expect(trace).toMatchObject({ name: "good", spans: [{ name: "6", external_id: "5", model: null }] });
});

test("of several scores with one id the latest by time counts, however they are listed, and one without an id has the event's", async () => {
  const ids = Array.from({ length: 10 }, () => randomUUID());
  const scores = ids.flatMap((id) =>
    [0, 1, 2, 3].map((value) => event("score-create", { id, traceId: "scored", name: "helpful", value }, 2)),
  );
  const [shuffled] = ids;
  scores.push(event("score-create", { id: shuffled, traceId: "scored", name: "helpful", value: 7 }, 1));
  const anonymous = event("score-create", { traceId: "scored", name: "anonymous", value: 1 });

  const { project, replies } = await sent([...scores, anonymous], [anonymous]);

  const { items } = await project.answer(listTraceScores, { query: { limit: 200 } });
  expect(replies).toMatchObject([{ errors: [] }, { errors: [] }]);
  expect(items.filter(({ name }) => name === "helpful").map(({ value }) => value)).toEqual(ids.map(() => "3"));
  expect(items.filter(({ name }) => name === "anonymous")).toHaveLength(1);
});
