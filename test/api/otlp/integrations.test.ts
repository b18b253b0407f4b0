import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, inject, test } from "vitest";
import { derivedUuid, uuidInProject } from "../../../lib/domain/access/identity.ts";
import { ingestLangfuse } from "../../../lib/contract/langfuse/ingestion.ts";
import { createLangfuseMedia } from "../../../lib/contract/langfuse/media.ts";
import { listLangfuseProjects } from "../../../lib/contract/langfuse/projects.ts";
import { createLangfuseScores } from "../../../lib/contract/langfuse/scores.ts";
import { exportTracesLangfuse, exportTracesLangsmith } from "../../../lib/contract/otlp/export-traces.ts";
import { listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { listTraceScores, putTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { getHealth, getHealthLangfuse } from "../../../lib/contract/service.ts";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { langfuseProgram, recorded } from "../../support/integrations.ts";
import { otlpTypes, sendExport } from "../../support/otlp/otlp.ts";
import { clientWith, send } from "../../support/service/client.ts";

const service = inject("service");

const json = { "Content-Type": "application/json" };
const traceId = "b9a3042c-30dc-bf05-ee71-864b80ed710d";

const sendSpans = (headers: Readonly<Record<string, string>>, path: string, bytes: Uint8Array, type: string) =>
  sendExport(service, headers, gzipSync(bytes), { "Content-Type": type, "Content-Encoding": "gzip" }, path);

const scoresOf = async (project: ReturnType<typeof langfuseProgram>["project"]) => {
  const { items } = await project.answer(listTraceScores);
  return items
    .map(({ name, value, data_type, span_id, reason, source }) => ({
      name,
      value,
      data_type,
      span_id,
      reason,
      source,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

describe("a program with Langfuse's SDK", () => {
  test("for Python 5 stores its trace, and scores that arrive before it, once however often they are sent", async () => {
    const { program, project } = langfuseProgram(service);
    const headers = program.headers as Readonly<Record<string, string>>;
    const score = () =>
      program.call(createLangfuseScores, { bytes: recorded("langfuse-5-scores.json"), headers: json });
    const spans = () =>
      sendSpans(headers, exportTracesLangfuse.path, recorded("langfuse-5-spans.pb"), otlpTypes.protobuf);

    const scoreReply = await score();
    const traceOfScores = await project.answer(getTrace, { params: { trace_id: traceId } });
    const exported = await spans();
    const replays = [await score(), await spans()];
    const trace = await project.answer(getTrace, { params: { trace_id: traceId } });

    expect(scoreReply).toMatchObject({ status: 200, body: { message: "Accepted" } });
    expect(traceOfScores).toMatchObject({ name: "unnamed", status: "RUNNING", spans: [] });
    expect([exported, ...replays].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(trace).toMatchObject({ name: "agent", status: "COMPLETED", session_id: "lf-session", user_id: "mia" });
    expect(trace.spans.map(({ name }) => name).toSorted()).toEqual(["agent", "ask", "get_weather"]);
    expect(await scoresOf(project)).toEqual([
      {
        name: "fluent",
        value: "true",
        data_type: "BOOLEAN",
        span_id: trace.spans.find(({ name }) => name === "ask")?.span_id,
        reason: null,
        source: "PROGRAMMATIC",
      },
      { name: "helpful", value: "0.9", data_type: "NUMERIC", span_id: null, reason: "good", source: "PROGRAMMATIC" },
      {
        name: "tone",
        value: "friendly",
        data_type: "CATEGORICAL",
        span_id: null,
        reason: null,
        source: "PROGRAMMATIC",
      },
    ]);
    expect((await project.answer(listTraces)).total).toBe(1);
  });

  test.each(["langfuse-3-ingestion.json", "langfuse-js-5-ingestion.json"])(
    "imports the scores that the SDK sends as events: %s",
    async (name) => {
      const { program, project } = langfuseProgram(service);

      const reply = await program.answer(ingestLangfuse, { bytes: recorded(name), headers: json });

      expect(reply).toEqual({ successes: [{ id: expect.any(String), status: 201 }], errors: [] });
      expect(await scoresOf(project)).toMatchObject([
        { name: "helpful", data_type: "NUMERIC", source: "PROGRAMMATIC" },
      ]);
    },
  );

  test("stores a score beside others that are repaired or refused", async () => {
    const { program } = langfuseProgram(service);
    const score = { traceId: "5b8efff798038103d269b633813fc60c", name: "good", value: 1 };
    const event = (id: string, body: unknown) => ({ id, type: "score-create", body });
    const deep = `${"[".repeat(150)}${"]".repeat(150)}`;
    const batch = [
      event("emoji", { ...score, comment: "cut \ud83d" }),
      event("deep", { ...score, metadata: "~" }),
      event("id", { ...score, traceId: {} }),
      event("session", { ...score, traceId: null, sessionId: 42 }),
      { type: "score-create", body: score },
      { id: "type", type: 5 },
      7,
      event("good", score),
    ];

    const reply = await program.call(ingestLangfuse, {
      bytes: JSON.stringify({ batch }).replace('"~"', deep),
      headers: json,
    });
    const list = await program.answer(createLangfuseScores, { body: [{ ...score, comment: "\udc00" }, 7] });

    expect(reply.status).toBe(207);
    const { successes, errors } = reply.body as {
      successes: { id: string }[];
      errors: { id: string; message: string }[];
    };
    expect(successes.map(({ id }) => id)).toEqual(["emoji", "deep", "good"]);
    expect(Object.fromEntries(errors.map(({ id, message }) => [id, message]))).toEqual({
      id: "traceId: Input should be a valid string",
      session: "sessionId: There is no trace of this session yet.",
      type: "type: Input should be a valid string",
      unknown: expect.any(String),
    });
    expect(errors).toHaveLength(5);
    expect(list).toMatchObject({ accepted: 1, rejected: 1 });
  });

  test("for JavaScript 5 stores its trace", async () => {
    const { program, project } = langfuseProgram(service);
    const headers = program.headers as Readonly<Record<string, string>>;

    const reply = await sendSpans(
      headers,
      exportTracesLangfuse.path,
      recorded("langfuse-js-5-spans.json"),
      otlpTypes.json,
    );

    expect([reply.status, reply.bytes.toString()]).toEqual([200, "{}"]);
    expect((await project.answer(listTraces)).items).toMatchObject([
      { name: "agent", status: "COMPLETED", span_count: 2 },
    ]);
  });

  test("for Python 2, which does not export OpenTelemetry spans, stores trace, observation and score from its events", async () => {
    const { program, project } = langfuseProgram(service);

    const reply = await program.answer(ingestLangfuse, { bytes: recorded("langfuse-2-ingestion.json"), headers: json });
    const { items } = await project.page(listTraces);

    expect(reply).toMatchObject({ successes: [{ status: 201 }, { status: 201 }, { status: 201 }], errors: [] });
    expect(items).toContainEqual(expect.objectContaining({ name: "v2", status: "RUNNING", span_count: 1 }));
    expect(await scoresOf(project)).toMatchObject([{ name: "q", value: "1" }]);
  });

  test("can read its project and the health check", async () => {
    const { program, project } = langfuseProgram(service);

    const { data } = await program.answer(listLangfuseProjects);
    const health = await clientWith(service, {}).answer(getHealthLangfuse);

    expect(data).toEqual([
      {
        id: expect.any(String),
        name: project.headers["X-Project-Name"],
        organization: { id: expect.any(String), name: expect.any(String) },
        metadata: {},
      },
    ]);
    expect(data[0]?.organization.name).not.toBe("");
    expect(health).toEqual({ ...(await clientWith(service, {}).answer(getHealth)), timestamp: expect.any(String) });
  });
});

test("Langfuse's SDKs learn that media need no upload, by the id that they derive, and what prompts lack", async () => {
  const { program } = langfuseProgram(service);
  const sha256Hash = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

  const media = await program.answer(createLangfuseMedia, {
    body: { traceId, contentType: "image/png", contentLength: 9, field: "input", sha256Hash },
  });
  const prompt = await send(service, { method: "GET", path: "/api/public/v2/prompts/greeting", headers: {} });

  expect(media).toEqual({ mediaId: "47DEQpj8HBSa-_TImW-5JC", uploadUrl: null });
  expect([prompt.status, prompt.text]).toEqual([404, expect.stringContaining("give the SDK a fallback")]);
});

test.each([
  ["/api/public/dataset-items/first", "read runs as /experiments"],
  ["/api/public/datasets/shop/runs/first", "read runs as /experiments"],
  ["/api/v1/private/traces/batch", "a path of Opik's or Weave's interface"],
  ["/call/upsert_batch", "a path of Opik's or Weave's interface"],
])("what is not offered says so: %s", async (path, sentence) => {
  const reply = await send(service, { method: "POST", path, headers: {} });

  expect([reply.status, reply.text]).toEqual([404, expect.stringContaining(sentence)]);
});

test.each(["v2/observations?limit=1", "v2/metrics", "traces", "observations/x"])(
  "Langfuse's path %s, which reads, is answered with a sentence about reading",
  async (path) => {
    const { status, text } = await send(service, { method: "GET", path: `/api/public/${path}`, headers: {} });

    expect([status, text]).toEqual([404, expect.stringContaining("read them with the routes in /docs")]);
    expect(text).not.toMatch(/prompt|runs/u);
  },
);

describe("a score in Langfuse's format", () => {
  const { program, project } = langfuseProgram(service);
  const score = { traceId, name: "q", value: 1 };
  const send = (body: unknown) => program.call(createLangfuseScores, { body });

  test("is answered with its id, or with a generated one", async () => {
    const withId = await send({ ...score, id: "mine" });
    const withoutId = await send(score);

    expect(withId).toMatchObject({ status: 200, body: { id: "mine" } });
    expect((withoutId.body as { id: string }).id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ["without a target", { name: "q", value: 1 }, "traceId"],
    ["of a trace with an id of another type", { ...score, traceId: ["x"] }, "traceId"],
    ["of a trace of zeros", { ...score, traceId: "0".repeat(32) }, "traceId"],
    ["of an observation of zeros", { ...score, observationId: "0".repeat(16) }, "observationId"],
    ["of a dataset run", { ...score, datasetRunId: "run" }, "datasetRunId"],
    ["that is a correction", { ...score, dataType: "CORRECTION", value: "better" }, "dataType"],
    ["with an invalid number", { ...score, value: "much", dataType: "NUMERIC" }, "value"],
    ["with an invalid boolean", { ...score, value: 2, dataType: "BOOLEAN" }, "value"],
    ["with a value that is too long", { ...score, value: "x".repeat(256) }, "value"],
    ["that says that it is no number", { ...score, value: "NaN" }, "value"],
    ["with an empty value", { ...score, value: "" }, "value"],
    ["with a null value", { ...score, value: null }, "value"],
    ["without a name", { ...score, name: "" }, "name"],
    ["with a long comment", { ...score, comment: "x".repeat(16_385) }, "comment"],
    ["with much metadata", { ...score, metadata: "x".repeat(70_000) }, "metadata"],
    ["of a session that has no trace", { sessionId: "nobody's", name: "q", value: 1 }, "sessionId"],
  ])("%s is refused with the invalid field, alone and in a list", async (_what, wrong, field) => {
    const alone = await send(wrong);
    const inList = await send([wrong, { ...score, id: "beside", value: 1 }]);

    expect(alone).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", field] }] } });
    expect(inList).toMatchObject({
      status: 200,
      body: { accepted: 1, rejected: 1, errors: [{ message: expect.stringMatching(new RegExp(`^${field}: .`, "u")) }] },
    });
  });

  test("with an id that exists replaces value, comment and metadata, and is refused with another name", async () => {
    const mine = langfuseProgram(service);
    const sendOne = (body: object) =>
      mine.program.call(createLangfuseScores, { body: { ...score, id: "changing", ...body } });
    const first = { name: "thumb", value: 1, dataType: "BOOLEAN", comment: "Good.", metadata: { page: 1 } };
    const second = { ...first, value: 0, comment: "Bad.", metadata: { page: 2 } };

    const replies = [await sendOne(first), await sendOne(first), await sendOne(second), await sendOne(second)];
    const otherName = await sendOne({ ...first, name: "other" });

    expect(replies.map(({ status, body }) => [status, body])).toEqual(replies.map(() => [200, { id: "changing" }]));
    expect(otherName).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "id"] }] } });
    expect((await mine.project.answer(listTraceScores)).items).toMatchObject([
      { value: "false", reason: "Bad.", metadata: { page: 2 }, original: { value: "true", reason: "Good." } },
    ]);
  });

  test("has the UUID that its id is or names, beside the text, and an id of an earlier release stays", async () => {
    const { program, project } = langfuseProgram(service);
    const uuid = randomUUID();
    const sendOne = (id: string, value: number) =>
      program.call(createLangfuseScores, { body: { ...score, id, name: id, value } });
    await sendOne("mine", 1);
    const [first] = (await project.answer(listTraceScores)).items;
    const { project_id = "", trace_id = "" } = first ?? {};
    const earlier = derivedUuid(project_id, "langfuse-score", "early");
    await project.answer(putTraceScore, { params: { score_id: earlier }, body: { trace_id, name: "early", value: 1 } });

    await sendOne("early", 0);
    await sendOne(uuid, 1);
    const { items } = await project.answer(listTraceScores);

    expect(items.toReversed().map(({ id, external_id, value }) => [id, external_id, value])).toEqual([
      [uuidInProject(project_id, "mine"), "mine", "1"],
      [earlier, "early", "0"],
      [uuid, null, "1"],
    ]);
  });

  test("can be of a session, with its other fields in the metadata", async () => {
    const mine = langfuseProgram(service);
    const headers = mine.program.headers as Readonly<Record<string, string>>;
    await sendSpans(headers, exportTracesLangfuse.path, recorded("langfuse-5-spans.pb"), otlpTypes.protobuf);

    const reply = await mine.program.call(createLangfuseScores, {
      body: {
        sessionId: "lf-session",
        name: "solved",
        value: "yes",
        environment: "prod",
        metadata: [1],
        source: "ANNOTATION",
      },
    });

    expect(reply.status).toBe(200);
    expect((await mine.project.answer(listSessionScores)).items).toMatchObject([
      {
        session_id: "lf-session",
        value: "yes",
        data_type: "CATEGORICAL",
        source: "PROGRAMMATIC",
        metadata: { metadata: [1], "langfuse.environment": "prod" },
      },
    ]);
  });

  test("of a trace that does not exist creates the trace, once for a list of many scores", async () => {
    const mine = langfuseProgram(service);
    const scores = Array.from({ length: 30 }, (_, at) => ({ ...score, id: `s${at}`, name: `n${at}` }));

    const reply = await mine.program.call(createLangfuseScores, { body: scores });

    expect(reply).toMatchObject({ status: 200, body: { message: "Accepted" } });
    expect(await scoresOf(mine.project)).toHaveLength(30);
    expect((await mine.project.answer(listTraces)).items).toMatchObject([{ trace_id: traceId, status: "RUNNING" }]);
    expect((await project.answer(listTraces)).items.map(({ trace_id }) => trace_id)).toEqual([traceId]);
  });
});

test("a program with LangSmith's SDK stores its trace in the project that it names", async () => {
  const { project } = langfuseProgram(service);
  const headers = {
    "X-API-Key": service.tenant.apiKey,
    "Langsmith-Project": String(project.headers["X-Project-Name"]),
  };

  const reply = await sendSpans(
    headers,
    exportTracesLangsmith.path,
    recorded("langsmith-spans.pb"),
    otlpTypes.protobuf,
  );

  expect([reply.status, reply.bytes.length]).toEqual([200, 0]);
  expect((await project.answer(listTraces)).items).toMatchObject([
    { name: "agent", status: "COMPLETED", span_count: 3, total_tokens: 30 },
  ]);
});
