import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createTraceRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import { getScore } from "../../../lib/contract/scores/score.ts";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import {
  createTraceScore,
  deleteTraceScore,
  getTraceScores,
  listTraceScores,
  updateTraceScore,
} from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { bearerClient, type Client, newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const project = newProject(service);

const newTrace = async (client: Client = project, fields: Parameters<typeof someTrace>[0] = {}): Promise<string> =>
  (await client.answer(createTrace, { body: someTrace(fields) })).trace_id;

const score = async (body: Readonly<Record<string, unknown>> = {}, client: Client = project) =>
  await client.answer(createTraceScore, {
    body: { trace_id: body["trace_id"] ?? (await newTrace(client)), name: "helpful", value: "0.5", ...body },
  });

const namesOf = async (query: Readonly<Record<string, string>>, client: Client) =>
  (await client.answer(listTraceScores, { query })).items.map(({ name }) => name);

describe("a score that is sent", () => {
  test("is stored with status SUCCESS and the defaults", async () => {
    const trace_id = await newTrace(project, { environment: "production" });

    const newScore = await score({ trace_id });

    expect(newScore).toMatchObject({
      trace_id,
      name: "helpful",
      value: "0.5",
      data_type: "NUMERIC",
      status: "SUCCESS",
      source: "ANNOTATION",
      reason: null,
      metadata: {},
      eval_run_id: null,
      author_user_id: null,
      environment: "production",
      config_id: null,
    });
    expect(newScore.updated_at).toBe(newScore.created_at);
    expect(await project.answer(getTraceScores, { params: { score_id: trace_id } })).toEqual([newScore]);
  });

  test("is read by its id, as is a score of a session, and the list of a trace's scores names that route", async () => {
    const { id, ...newScore } = await score({}, project);
    const session_id = randomUUID();
    await newTrace(project, { session_id });
    const body = { session_id, name: "solved", value: true };
    const ofSession = await project.answer(createSessionScore, { body });
    const read = (score_id: string, client = project) => client.call(getScore, { params: { score_id } });

    expect(await read(id)).toMatchObject({ status: 200, body: { id, ...newScore } });
    expect(await read(ofSession.id)).toMatchObject({ status: 200, body: { ...ofSession } });
    expect([await read(randomUUID()), await read(id, newProject(service))]).toMatchObject([
      { status: 404 },
      { status: 404, body: { detail: `Score ${id} not found.` } },
    ]);
    expect(await project.call(getTraceScores, { params: { score_id: id } })).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(`GET /evaluations/scores/${id}`) },
    });
    expect(await project.answer(getTraceScores, { params: { score_id: randomUUID() } })).toEqual([]);
  });

  test("may be of a span, and remains so when it is edited", async () => {
    const span_id = randomUUID();
    const started_at = "2026-10-01T10:00:00.000000+00:00";
    const { trace_id } = await project.answer(createTrace, {
      body: { name: "x", started_at, spans: [{ span_id, name: "s", started_at }] },
    });
    const newScore = await score({ trace_id, span_id: span_id.toUpperCase() });
    const about = await project.answer(updateTraceScore, {
      params: { score_id: newScore.id },
      body: { value: "1", metadata: {} },
    });
    const wrong = await project.call(createTraceScore, {
      body: { trace_id: newScore.trace_id, name: "helpful", value: "1", span_id: "first" },
    });

    expect([newScore.span_id, about.span_id, (await score()).span_id]).toEqual([span_id, span_id, null]);
    expect(problems(wrong)).toEqual(["body.span_id"]);
    const nowhere = { trace_id, name: "helpful", value: "1", span_id: randomUUID() };
    expect(await project.call(createTraceScore, { body: nowhere })).toMatchObject({
      status: 404,
      body: { detail: `Span ${nowhere.span_id} not found in trace ${trace_id}.` },
    });
    const ofNobody = { ...nowhere, trace_id: randomUUID() };
    expect(await project.call(createTraceScore, { body: ofNobody })).toMatchObject({
      status: 404,
      body: { detail: `Trace ${ofNobody.trace_id} not found.` },
    });
    expect(await project.answer(getTraceScores, { params: { score_id: newScore.trace_id } })).toEqual([about]);
  });

  test("accepts numbers and booleans as values, and returns them as text with every digit", async () => {
    const trace_id = await newTrace();
    const storedValue = async (name: string, value: string, data_type: string) => {
      const bytes = `{"trace_id":"${trace_id}","name":"${name}","value":${value},"data_type":"${data_type}"}`;
      const headers = { "Content-Type": "application/json" };
      return await project.call(createTraceScore, { bytes, headers });
    };

    const storedValues = [
      await storedValue("a", "0.50", "NUMERIC"),
      await storedValue("b", "12345678901234567890", "NUMERIC"),
      await storedValue("c", "true", "BOOLEAN"),
      await storedValue("d", "false", "CATEGORICAL"),
    ];
    const { body } = await storedValue("a", "1", "NUMERIC");
    const edited = await project.answer(updateTraceScore, { params: { score_id: body.id }, body: { value: 0.25 } });

    expect(storedValues.map((reply) => reply.body.value)).toEqual(["0.5", "12345678901234567890", "true", "false"]);
    expect(edited.value).toBe("0.25");
    for (const [value, type] of [
      ["true", "NUMERIC"],
      ["1", "BOOLEAN"],
      ["null", "NUMERIC"],
      ["[1]", "NUMERIC"],
    ] as const)
      expect(problems(await storedValue("a", value, type))).toEqual(["body.value"]);
  });

  test("returns its metadata as it was sent, numbers in the same spelling", async () => {
    const trace_id = await newTrace();
    const bytes =
      `{"trace_id":"${trace_id}","name":"é","value":"b","data_type":"CATEGORICAL","source":"PROGRAMMATIC",` +
      '"reason":"So.","metadata":{"n":9007199254740993}}';

    const reply = await project.call(createTraceScore, { bytes, headers: { "Content-Type": "application/json" } });

    expect(reply).toMatchObject({ status: 201, body: { value: "b", source: "PROGRAMMATIC", reason: "So." } });
    expect(reply.text).toContain('"metadata":{"n":9007199254740993}');
  });

  test.each([
    ["NUMERIC", "-1.5e3"],
    ["NUMERIC", "9007199254740993"],
    ["NUMERIC", ".5"],
    ["BOOLEAN", "true"],
    ["CATEGORICAL", " "],
    ["CATEGORICAL", "é".repeat(255)],
  ])("may be %s with the value %j", async (data_type, value) => {
    expect(await score({ data_type, value })).toMatchObject({ data_type, value });
  });

  test.each([
    [true, "BOOLEAN"],
    ["False", "BOOLEAN"],
    [1, "NUMERIC"],
    ["0.5", "NUMERIC"],
  ])("%j without a data type is %s", async (value, data_type) => {
    expect(await score({ value })).toMatchObject({ data_type, value: String(value).toLowerCase() });
  });

  test("returns a boolean in lower case", async () => {
    expect(await score({ data_type: "BOOLEAN", value: "FALSE" })).toMatchObject({ value: "false" });
  });

  test.each([
    ["NUMERIC", "hello"],
    ["NUMERIC", "nan"],
    ["NUMERIC", "1e999"],
    ["NUMERIC", " 1"],
    ["NUMERIC", "0_1"],
    ["NUMERIC", ""],
    ["BOOLEAN", "yes"],
    ["BOOLEAN", "1"],
    ["CATEGORICAL", ""],
    ["CATEGORICAL", "x".repeat(256)],
  ])("must not be %s with the value %j", async (data_type, value) => {
    const body = { trace_id: randomUUID(), name: "x", data_type, value };

    expect(problems(await project.call(createTraceScore, { body }))).toEqual(["body.value"]);
  });

  test("accepts a reason of 16,384 characters and metadata of 64 KiB", async () => {
    const [reason, metadata] = ["é".repeat(16_384), { prompt: "p".repeat(65_536 - '{"prompt":""}'.length) }];

    const { id, trace_id } = await score({ source: "PROGRAMMATIC", reason, metadata });

    expect(await project.answer(getTraceScores, { params: { score_id: trace_id } })).toMatchObject([
      { id, reason, metadata },
    ]);
  });

  test("is refused with all its errors", async () => {
    const body = { trace_id: "x", value: "maybe", data_type: "BOOLEAN", source: "AUTOMATED", reason: 1, metadata: [] };

    expect(problems(await project.call(createTraceScore, { body })).toSorted()).toEqual([
      "body.metadata",
      "body.name",
      "body.reason",
      "body.source",
      "body.trace_id",
      "body.value",
    ]);
  });

  test.each([
    ["value", [1]],
    ["name", ""],
    ["name", "n".repeat(1025)],
    ["reason", "r".repeat(16_385)],
    ["metadata", { long: "m".repeat(65_536) }],
    ["data_type", null],
  ])("is refused with this %s", async (field, wrong) => {
    const body = { trace_id: randomUUID(), name: "x", value: "1", [field]: wrong };

    expect(problems(await project.call(createTraceScore, { body }))).toEqual([`body.${field}`]);
  });

  test("is refused for a trace that is unknown or of another project", async () => {
    const unknown = randomUUID();
    const foreign = await newTrace(newProject(service, service.stranger));
    const send = (trace_id: string) => project.call(createTraceScore, { body: { trace_id, name: "x", value: "1" } });

    expect(await send(unknown)).toMatchObject({ status: 404, body: { detail: `Trace ${unknown} not found.` } });
    expect(await send(foreign)).toMatchObject({ status: 404, body: { detail: `Trace ${foreign} not found.` } });
  });

  test("is created once when the request is repeated, and the reply is repeated even after the score has changed", async () => {
    const trace_id = await newTrace();
    const headers = { "Idempotency-Key": randomUUID() };
    const body = { trace_id, name: "x", value: "1" };
    const send = () => project.answer(createTraceScore, { body, headers });

    const first = await send();
    await project.answer(updateTraceScore, { params: { score_id: first.id }, body: { value: "0" } });
    const repeated = await send();
    const conflict = await project.call(createTraceScore, { body: { ...body, value: "0" }, headers });

    expect(repeated).toEqual(first);
    expect(conflict).toMatchObject({ status: 422, error: { code: "idempotency_error" } });
    expect(await project.answer(listTraceScores, { query: { trace_id } })).toMatchObject({
      total: 1,
      items: [{ value: "0" }],
    });
  });

  test("has the user who sends it as its author", async () => {
    const user = bearerClient(service, service.tenant.projectId);
    const newScore = await score({}, user);

    expect(newScore.author_user_id).toMatch(/./);
  });
});

describe("a trace's scores", () => {
  test("are the newest of each name, ordered by name", async () => {
    const trace_id = await newTrace();
    for (const [name, value] of [
      ["b", "1"],
      ["a", "1"],
      ["b", "2"],
      ["B", "3"],
    ]) {
      await score({ trace_id, name, value });
    }

    const latest = await project.answer(getTraceScores, { params: { score_id: trace_id.toUpperCase() } });

    expect(latest.map(({ name, value }) => [name, value])).toEqual([
      ["B", "3"],
      ["a", "1"],
      ["b", "2"],
    ]);
  });

  test("of an unknown trace are empty", async () => {
    expect(await project.answer(getTraceScores, { params: { score_id: randomUUID() } })).toEqual([]);
  });
});

describe("the list of scores", () => {
  const listProject = newProject(service);
  let traces: readonly string[] = [];
  let runId = "";
  let times: readonly string[] = [];

  beforeAll(async () => {
    traces = [
      await newTrace(listProject, { environment: "production" }),
      await newTrace(listProject, { environment: "test" }),
    ];
    const [first = "", second = ""] = traces;
    const newScores = [
      await score({ trace_id: first, name: "one" }, listProject),
      await score({ trace_id: first, name: "two", source: "PROGRAMMATIC" }, listProject),
      await score({ trace_id: second, name: "three", data_type: "BOOLEAN", value: "true" }, listProject),
    ];
    times = newScores.map(({ created_at }) => created_at);
    const run = await listProject.answer(createTraceRun, { body: { metrics: ["tool_correctness"], filters: {} } });
    runId = run.id;
    await endedRun(listProject, run);
  });

  test("is newest first, has pages and a total", async () => {
    const names = ["tool_correctness", "tool_correctness", "three", "two", "one"];

    expect(await namesOf({}, listProject)).toEqual(names);
    expect(await namesOf({ limit: "2", offset: "3" }, listProject)).toEqual(names.slice(3));
    expect(await listProject.answer(listTraceScores, { query: { limit: 1, offset: 1 } })).toMatchObject({
      total: 5,
      limit: 1,
    });
    expect(await listProject.answer(listTraceScores, { query: { offset: 9 } })).toMatchObject({ items: [], total: 5 });
  });

  test.each([
    [{ name: "two" }, ["two"]],
    [{ name: "tw" }, []],
    [{ source: "ANNOTATION" }, ["three", "one"]],
    [{ source: "PROGRAMMATIC" }, ["two"]],
    [{ source: "AUTOMATED" }, ["tool_correctness", "tool_correctness"]],
    [{ status: "FAILED" }, []],
    [{ data_type: "BOOLEAN" }, ["three"]],
    [{ environment: "production", source: "ANNOTATION" }, ["one"]],
    [{ environment: "" }, []],
    [{ date_from: "2099-01-01" }, []],
    [{ date_to: "2000-01-01" }, []],
    [{ date_from: "2099-01-01", date_to: "2000-01-01" }, []],
    [{ eval_run_id: randomUUID() }, []],
  ])("can be filtered by %j", async (query, names) => {
    const { items, total } = await listProject.answer(listTraceScores, { query });

    expect(items.map(({ name }) => name)).toEqual(names);
    expect(total).toBe(names.length);
  });

  test("can be filtered by a range of times, which excludes its end", async () => {
    const [first = "", second = "", third = ""] = times;

    expect(await namesOf({ date_from: second, date_to: third }, listProject)).toEqual(second === third ? [] : ["two"]);
    expect((await namesOf({ date_from: first }, listProject)).at(-1)).toBe("one");
  });

  test("can be filtered by a trace, by a run, and by both", async () => {
    const [first = ""] = traces;

    expect(await namesOf({ trace_id: first }, listProject)).toEqual(["tool_correctness", "two", "one"]);
    expect(await namesOf({ trace_id: first, name: "one" }, listProject)).toEqual(["one"]);
    expect(await namesOf({ eval_run_id: runId }, listProject)).toEqual(["tool_correctness", "tool_correctness"]);
    expect(await namesOf({ eval_run_id: runId, trace_id: first }, listProject)).toEqual(["tool_correctness"]);
    expect(await namesOf({ eval_run_id: runId, environment: "test" }, listProject)).toEqual(["tool_correctness"]);
  });

  test("has nothing of another project", async () => {
    const [first = ""] = traces;
    const stranger = newProject(service, service.stranger);
    const lists = [{}, { trace_id: first }, { eval_run_id: runId }];

    const replies = await inTurn(lists, (query) => stranger.answer(listTraceScores, { query }));

    expect(replies.map(({ total, items }) => [total, items])).toEqual(lists.map(() => [0, []]));
  });

  test("is refused with an invalid or repeated parameter", async () => {
    const wrong = `trace_id=${"x".repeat(1_025)}&source=HUMAN&status=OK&data_type=x&eval_run_id=1&date_from=x&date_to=1&name=a&name=b`;
    const reply = await listProject.call(listTraceScores, { query: wrong });

    expect(problems(reply).toSorted()).toEqual(
      ["data_type", "date_from", "date_to", "eval_run_id", "name", "source", "status", "trace_id"].map(
        (name) => `query.${name}`,
      ),
    );
  });
});

describe("a score that is edited", () => {
  test("is updated in the given fields and becomes the editor's annotation", async () => {
    const newScore = await score({ source: "PROGRAMMATIC", metadata: { a: 1, b: 2 }, reason: "Before." });
    const body = { value: "1.5", metadata: { b: 3 } };

    const edited = await project.answer(updateTraceScore, { params: { score_id: newScore.id }, body });

    const { updated_at } = edited;
    const original = {
      value: "0.5",
      reason: "Before.",
      status: "SUCCESS",
      source: "PROGRAMMATIC",
      applicable: true,
      judge: null,
      success: null,
      at: newScore.updated_at,
      metadata: { a: 1, b: 2 },
    };
    expect(edited).toEqual({
      ...newScore,
      value: "1.5",
      metadata: { b: 3 },
      source: "ANNOTATION",
      original,
      updated_at,
    });
    expect(updated_at > newScore.updated_at).toBe(true);
    expect(await project.answer(getTraceScores, { params: { score_id: newScore.trace_id } })).toEqual([edited]);
    expect((await project.answer(listTraceScores, { query: { name: "helpful", limit: 200 } })).items).toContainEqual(
      edited,
    );
  });

  test("becomes an annotation even by an empty update, or one of nulls only", async () => {
    const newScore = await score({ source: "PROGRAMMATIC", reason: "Before." });
    const edited = await project.answer(updateTraceScore, {
      params: { score_id: newScore.id },
      body: { value: null, reason: null, metadata: null, name: "other", status: "FAILED" },
    });

    expect(edited).toEqual({
      ...newScore,
      source: "ANNOTATION",
      original: expect.objectContaining({ value: "0.5", source: "PROGRAMMATIC", at: newScore.updated_at }),
      updated_at: edited.updated_at,
    });
  });

  test("is listed under its new source", async () => {
    const otherProject = newProject(service);
    const newScore = await score({ source: "PROGRAMMATIC" }, otherProject);

    await otherProject.answer(updateTraceScore, { params: { score_id: newScore.id }, body: {} });

    expect(await namesOf({ source: "PROGRAMMATIC" }, otherProject)).toEqual([]);
    expect(await namesOf({ source: "ANNOTATION" }, otherProject)).toEqual(["helpful"]);
  });

  test.each([
    ["NUMERIC", "1", "high"],
    ["BOOLEAN", "true", "1"],
    ["CATEGORICAL", "a", ""],
  ])("cannot change its data type: %s", async (data_type, value, wrong) => {
    const newScore = await score({ data_type, value });
    const reply = await project.call(updateTraceScore, {
      params: { score_id: newScore.id },
      body: { value: wrong },
    });

    expect(problems(reply)).toEqual(["body.value"]);
    expect(await project.answer(getTraceScores, { params: { score_id: newScore.trace_id } })).toEqual([newScore]);
  });

  test("is not found when it is unknown, of another project, or the id is a trace's", async () => {
    const newScore = await score();
    const foreign = await score({}, newProject(service, service.stranger));

    for (const id of [randomUUID(), foreign.id, newScore.trace_id]) {
      const reply = await project.call(updateTraceScore, { params: { score_id: id }, body: {} });
      expect(reply).toMatchObject({ status: 404, body: { detail: `Trace score ${id} not found.` } });
    }
  });

  test("has the user who edited it as its author", async () => {
    const user = bearerClient(service, service.tenant.projectId);
    const newScore = await score({}, user);
    const byKey = { ...user.headers, Authorization: undefined, "X-API-Key": service.tenant.apiKey };
    const headers = { ...byKey, "X-Project-Name": service.tenant.projectName };

    const edited = await user.answer(updateTraceScore, { params: { score_id: newScore.id }, body: {}, headers });
    const secondEdit = await user.answer(updateTraceScore, { params: { score_id: newScore.id }, body: {} });

    expect(edited.author_user_id).toBeNull();
    expect(secondEdit.author_user_id).toBe(newScore.author_user_id);
  });
});

describe("a score that is deleted", () => {
  test("is not found anywhere after its deletion", async () => {
    const otherProject = newProject(service);
    const newScore = await score({}, otherProject);
    const otherScore = await score({ trace_id: newScore.trace_id, name: "kept" }, otherProject);

    await otherProject.answer(deleteTraceScore, { params: { score_id: newScore.id } });

    expect(await otherProject.answer(getTraceScores, { params: { score_id: newScore.trace_id } })).toEqual([
      otherScore,
    ]);
    expect(await namesOf({}, otherProject)).toEqual(["kept"]);
    const secondDeletion = await otherProject.call(deleteTraceScore, { params: { score_id: newScore.id } });
    expect(secondDeletion).toMatchObject({ status: 404, body: { detail: `Trace score ${newScore.id} not found.` } });
    expectStatus(await otherProject.call(updateTraceScore, { params: { score_id: newScore.id }, body: {} }), 404);
  });

  test("remains in another project", async () => {
    const stranger = newProject(service, service.stranger);
    const foreign = await score({}, stranger);

    expectStatus(await project.call(deleteTraceScore, { params: { score_id: foreign.id } }), 404);
    expect(await stranger.answer(getTraceScores, { params: { score_id: foreign.trace_id } })).toEqual([foreign]);
  });

  test("is missing from the scores of its run, which has the others", async () => {
    const otherProject = newProject(service);
    await newTrace(otherProject);
    const run = await otherProject.answer(createTraceRun, {
      body: { metrics: ["tool_correctness", "task_completion"] },
    });
    await endedRun(otherProject, run);
    const [first] = (await otherProject.answer(listTraceScores, { query: { eval_run_id: run.id } })).items;

    await otherProject.answer(deleteTraceScore, { params: { score_id: first?.id ?? "" } });

    const remainingScores = await otherProject.answer(listTraceRunScores, { params: { run_id: run.id } });
    expect(remainingScores).toHaveLength(1);
  });
});
