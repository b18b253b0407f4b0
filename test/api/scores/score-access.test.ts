import { randomBytes, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { createProject } from "../../../lib/contract/access/projects.ts";
import { createLangsmithFeedback, updateLangsmithFeedback } from "../../../lib/contract/langsmith/feedback.ts";
import { createLangfuseScores } from "../../../lib/contract/langfuse/scores.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createSessionScore, listSessionScores, putSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceScore, listTraceScores, putTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { inTurn } from "../../support/in-turn.ts";
import { attributesOf, event } from "../../support/otlp/otlp-span.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { clientWith } from "../../support/service/client.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

const refusal = "This API key may only send traces; scores need a key with the access full.";

/** Clients of one new project: with a key of each access, and its owner. */
const clients = async () => {
  const { owner, params } = await organization();
  const { id, name } = await owner.answer(createProject, { params, body: { name: "shop" } });
  const [full, ingest] = await inTurn(["full", "ingest"] as const, async (access) => {
    const { raw_key } = await owner.answer(createApiKey, { params, body: { name: access, access } });
    return clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": name });
  });
  const person = clientWith(service, { ...owner.headers, "X-Project-ID": id });
  if (full === undefined || ingest === undefined) throw new Error("A key is missing.");
  return { full, ingest, person };
};

const [traceHex, spanHex] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
const traceId = traceUuid(traceHex);
const startedAt = new Date().toISOString();
const resultName = "gen_ai.evaluation.result";
const result = { "gen_ai.evaluation.name": "good", "gen_ai.evaluation.score.value": 1 };

const spanRequest = jsonExport([jsonSpan(traceHex, spanHex, { events: [event(resultName, result)] })]);
const logRecord = {
  timeUnixNano: `${Date.now()}000000`,
  eventName: resultName,
  traceId: traceHex,
  spanId: spanHex,
  attributes: attributesOf(result),
};
const feedback = { trace_id: traceId, run_id: traceId, key: "good", score: 1, feedback_source: { type: "app" } };
const runRequest = {
  post: [{ id: traceId, trace_id: traceId, name: "agent", run_type: "chain", start_time: startedAt }],
  feedback: [feedback],
};
const score = { traceId: traceHex, name: "good", value: 1, source: "ANNOTATION" };

const message = expect.stringMatching(/^Evaluation results .* not stored as scores: 1\. .* only send traces/u);
const spanReply = { status: 200, body: { partialSuccess: { rejectedSpans: "0", errorMessage: message } } };
const logReply = { status: 200, body: { partialSuccess: { rejectedLogRecords: "0", errorMessage: message } } };
const runReply = { status: 202, headers: { "x-warnings": `"Not stored: feedback.0.score: ${refusal}"` } };

/** A request with a trace and its score, and the reply that refuses the score; by the routes that store scores and need less for the rest. */
const attempts: Readonly<Record<string, readonly [body: object, reply: object]>> = {
  exportTraces: [spanRequest, spanReply],
  exportTracesLangfuse: [spanRequest, spanReply],
  exportTracesLangsmith: [spanRequest, spanReply],
  exportTracesLangsmithEndpoint: [spanRequest, spanReply],
  exportLogs: [{ resourceLogs: [{ scopeLogs: [{ logRecords: [logRecord] }] }] }, logReply],
  ingestLangsmithRuns: [runRequest, runReply],
  ingestLangsmithBatch: [runRequest, runReply],
  ingestLangfuse: [
    {
      batch: [
        { id: "t", type: "trace-create", body: { id: traceHex, name: "agent" } },
        { id: "e", type: "score-create", body: score },
      ],
    },
    {
      status: 207,
      body: {
        successes: [{ id: "t", status: 201 }],
        errors: [{ id: "e", status: 403, message: `score: ${refusal}` }],
      },
    },
  ],
};

/** Routes that share their function with those above, and whose bodies have no scores. */
const withoutScores = ["createLangsmithRun", "updateLangsmithRun", "listLangsmithSessions"];

test("every route that stores scores beside telemetry is tried", () => {
  const declared = routes
    .filter(({ permission, scorePermission = permission }) => scorePermission !== permission)
    .map(({ id }) => id);

  expect(declared.toSorted()).toEqual([...Object.keys(attempts), ...withoutScores].toSorted());
});

test.each(Object.entries(attempts))(
  "%s refuses the scores of a key for traces, and stores the rest",
  async (id, [body, reply]) => {
    const route = routes.find((each) => each.id === id);
    if (route === undefined) throw new Error(`${id} is not a route.`);
    const { full, ingest, person } = await clients();

    const refused = await ingest.call(route, { body });
    const { items: traces } = await full.page(listTraces);
    const { items: refusedScores } = await full.page(listTraceScores);
    await full.call(route, { body });
    const { items: scores } = await full.page(listTraceScores);

    expect(refused).toMatchObject(reply);
    expect(refusedScores).toEqual([]);
    expect(traces).toHaveLength(1);
    expect(scores).toMatchObject([{ name: "good", source: "PROGRAMMATIC", author_user_id: null }]);
    expect((await person.page(listTraceScores)).total).toBe(1);
  },
);

test("every route for scores alone refuses a key for traces with 403", async () => {
  const { full, ingest } = await clients();
  await full.answer(createTrace, { body: { trace_id: traceId, name: "a", started_at: startedAt, session_id: "s" } });

  const ofId = { score_id: randomUUID() };
  const replies = [
    await ingest.call(createTraceScore, { body: { trace_id: traceId, name: "good", value: "1" } }),
    await ingest.call(createSessionScore, { body: { session_id: "s", name: "good", value: "1" } }),
    await ingest.call(createLangfuseScores, { body: score }),
    await ingest.call(createLangsmithFeedback, { body: { ...feedback, id: randomUUID() } }),
    await ingest.call(updateLangsmithFeedback, { params: { feedback_id: randomUUID() }, body: { score: 1 } }),
    await ingest.call(putTraceScore, { params: ofId, body: { trace_id: traceId, name: "good", value: "1" } }),
    await ingest.call(putSessionScore, { params: ofId, body: { session_id: "s", name: "good", value: "1" } }),
  ];

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 403));
  expect((await full.page(listTraceScores)).items).toEqual([]);
  expect((await full.page(listSessionScores)).items).toEqual([]);
});

test("a person's score of another product's client is an annotation, and a program's is none whatever it says", async () => {
  const { full, person } = await clients();
  await full.answer(createTrace, { body: { trace_id: traceId, name: "a", started_at: startedAt } });

  for (const [at, client] of [full, person].entries()) {
    await client.answer(createLangfuseScores, { body: { ...score, id: `s${at}`, name: `score ${at}` } });
    await client.answer(createLangsmithFeedback, { body: { ...feedback, id: randomUUID(), key: `feedback ${at}` } });
  }
  const { items } = await full.page(listTraceScores);

  expect(Object.fromEntries(items.map(({ name, source }) => [name, source]))).toEqual({
    "score 0": "PROGRAMMATIC",
    "feedback 0": "PROGRAMMATIC",
    "score 1": "ANNOTATION",
    "feedback 1": "ANNOTATION",
  });
});
