import { gzipSync } from "node:zlib";
import { describe, expect, inject, test } from "vitest";
import { ingestLangfuse } from "../../../lib/contract/langfuse/ingestion.ts";
import { listLangfuseProjects } from "../../../lib/contract/langfuse/projects.ts";
import { createLangfuseScores } from "../../../lib/contract/langfuse/scores.ts";
import { exportTracesLangfuse, exportTracesLangsmith } from "../../../lib/contract/otlp/export-traces.ts";
import { listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { getHealth, getHealthLangfuse } from "../../../lib/contract/service.ts";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { langfuseProgram, recorded } from "../../support/doors.ts";
import { otlpTypes, sendExport } from "../../support/otlp/otlp.ts";
import { clientWith } from "../../support/service/client.ts";

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
  test("for Python 5 stores its trace, and scores that come before it, once however often they are sent", async () => {
    const { program, project } = langfuseProgram(service);
    const headers = program.headers as Readonly<Record<string, string>>;
    const score = () =>
      program.call(createLangfuseScores, { bytes: recorded("langfuse-5-scores.json"), headers: json });
    const spans = () =>
      sendSpans(headers, exportTracesLangfuse.path, recorded("langfuse-5-spans.pb"), otlpTypes.protobuf);

    const scored = await score();
    const begun = await project.answer(getTrace, { params: { trace_id: traceId } });
    const exported = await spans();
    const again = [await score(), await spans()];
    const found = await project.answer(getTrace, { params: { trace_id: traceId } });

    expect(scored).toMatchObject({ status: 200, body: { message: "Accepted" } });
    expect(begun).toMatchObject({ name: "unnamed", status: "RUNNING", spans: [] });
    expect([exported, ...again].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(found).toMatchObject({ name: "agent", status: "COMPLETED", session_id: "lf-session", user_id: "mia" });
    expect(found.spans.map(({ name }) => name).toSorted()).toEqual(["agent", "ask", "get_weather"]);
    expect(await scoresOf(project)).toEqual([
      {
        name: "fluent",
        value: "true",
        data_type: "BOOLEAN",
        span_id: found.spans.find(({ name }) => name === "ask")?.span_id,
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
    "sends its scores as events: %s",
    async (name) => {
      const { program, project } = langfuseProgram(service);

      const reply = await program.answer(ingestLangfuse, { bytes: recorded(name), headers: json });

      expect(reply).toEqual({ successes: [{ id: expect.any(String), status: 201 }], errors: [] });
      expect(await scoresOf(project)).toMatchObject([
        { name: "helpful", data_type: "NUMERIC", source: "PROGRAMMATIC" },
      ]);
    },
  );

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

  test("for Python 2, whose spans are no spans of OpenTelemetry, is told what to do, and its scores are kept", async () => {
    const { program, project } = langfuseProgram(service);

    const { successes, errors } = await program.answer(ingestLangfuse, {
      bytes: recorded("langfuse-2-ingestion.json"),
      headers: json,
    });

    expect(successes).toEqual([{ id: "da0327bc-4248-4f0c-bedc-ba9aa31a017d", status: 201 }]);
    expect(errors.map(({ status, message }) => [status, message])).toEqual(
      ["trace-create", "span-create"].map((type) => [
        400,
        `Events of the type ${type} are not taken: spans come over OpenTelemetry, at /api/public/otel/v1/traces, as ` +
          "Langfuse's SDKs send them from version 3 (Python) and 4 (JavaScript).",
      ]),
    );
    expect(await scoresOf(project)).toMatchObject([{ name: "q", value: "1" }]);
  });

  test("is told its project, and that the service answers", async () => {
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

describe("a score as Langfuse writes it", () => {
  const { program, project } = langfuseProgram(service);
  const one = { traceId, name: "q", value: 1 };
  const send = (body: unknown) => program.call(createLangfuseScores, { body });

  test("is answered with its id, one of ours where it has none", async () => {
    const named = await send({ ...one, id: "mine" });
    const unnamed = await send(one);

    expect(named).toMatchObject({ status: 200, body: { id: "mine" } });
    expect((unnamed.body as { id: string }).id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ["without a target", { name: "q", value: 1 }, "traceId"],
    ["of a trace with no id", { ...one, traceId: "not-an-id" }, "traceId"],
    ["of a trace of zeros", { ...one, traceId: "0".repeat(32) }, "traceId"],
    ["of an observation with no id", { ...one, observationId: "x" }, "observationId"],
    ["of a dataset run", { ...one, datasetRunId: "run" }, "datasetRunId"],
    ["that is a correction", { ...one, dataType: "CORRECTION", value: "better" }, "dataType"],
    ["that is no number", { ...one, value: "much", dataType: "NUMERIC" }, "value"],
    ["that is neither true nor false", { ...one, value: 2, dataType: "BOOLEAN" }, "value"],
    ["that is too long", { ...one, value: "x".repeat(256) }, "value"],
    ["that is empty", { ...one, value: "" }, "value"],
    ["that is null", { ...one, value: null }, "value"],
    ["without a name", { ...one, name: "" }, "name"],
    ["with a long comment", { ...one, comment: "x".repeat(16_385) }, "comment"],
    ["with much metadata", { ...one, metadata: "x".repeat(70_000) }, "metadata"],
    ["of a session that has no trace", { sessionId: "nobody's", name: "q", value: 1 }, "sessionId"],
  ])("%s is refused in the field that is wrong, alone and in a list", async (_what, wrong, field) => {
    const alone = await send(wrong);
    const listed = await send([wrong, { ...one, id: "beside", value: 1 }]);

    expect(alone).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", field] }] } });
    expect(listed).toMatchObject({
      status: 200,
      body: { accepted: 1, rejected: 1, errors: [{ message: expect.stringMatching(new RegExp(`^${field}: .`, "u")) }] },
    });
  });

  test("with an id that is taken is refused when it says something else", async () => {
    const first = await send({ ...one, id: "changing", value: 0.1 });
    const same = await send({ ...one, id: "changing", value: 0.1 });
    const other = await send({ ...one, id: "changing", value: 0.2 });

    expect([first.status, same.status]).toEqual([200, 200]);
    expect(other).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "id"] }] } });
  });

  test("is of a session, with what else it says in its metadata", async () => {
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
        source: "ANNOTATION",
        metadata: { metadata: [1], "langfuse.environment": "prod" },
      },
    ]);
  });

  test("of a trace that is not there begins it, and a list of many begins it once", async () => {
    const mine = langfuseProgram(service);
    const scores = Array.from({ length: 30 }, (_, at) => ({ ...one, id: `s${at}`, name: `n${at}` }));

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
