import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  createSessionScore,
  deleteSessionScore,
  getSessionScores,
  listSessionScores,
  updateSessionScore,
} from "../../../lib/contract/scores/session-scores.ts";
import { deleteTraceScore, listTraceScores, updateTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { bearerClient, type Client, newProject } from "../../support/service/client.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const project = newProject(service);

const newSession = async (client: Client = project, session_id: string = `chat-${randomUUID()}`): Promise<string> => {
  await client.answer(createTrace, { body: someTrace({ session_id }) });
  return session_id;
};

const score = async (body: Readonly<Record<string, unknown>> = {}, client: Client = project) =>
  await client.answer(createSessionScore, {
    body: { session_id: body["session_id"] ?? (await newSession(client)), name: "solved", value: "0.5", ...body },
  });

const ofSession = (id: string, client: Client = project) =>
  client.answer(getSessionScores, { params: { score_id: id } });

describe("a session score that is sent", () => {
  test("is stored with status SUCCESS and the defaults", async () => {
    const session_id = await newSession(project, `#é "${randomUUID()}`);

    const newScore = await score({ session_id });

    expect(newScore).toMatchObject({
      session_id,
      name: "solved",
      value: "0.5",
      data_type: "NUMERIC",
      status: "SUCCESS",
      source: "ANNOTATION",
      reason: null,
      metadata: {},
      eval_run_id: null,
      author_user_id: null,
    });
    expect(await ofSession(session_id)).toEqual([newScore]);
  });

  test("is refused for a session without a trace, and for one of another project", async () => {
    const foreign = await newSession(newProject(service, service.stranger));

    for (const session_id of [randomUUID(), foreign]) {
      const reply = await project.call(createSessionScore, { body: { session_id, name: "x", value: "1" } });
      expect(reply).toMatchObject({ status: 404, body: { detail: `Session '${session_id}' not found.` } });
    }
  });

  test("is refused with all its errors", async () => {
    const body = { session_id: "s".repeat(256), name: "", value: "x", source: "AUTOMATED" };

    expect(problems(await project.call(createSessionScore, { body })).toSorted()).toEqual([
      "body.name",
      "body.session_id",
      "body.source",
      "body.value",
    ]);
  });

  test("is created once when the request is repeated", async () => {
    const session_id = await newSession();
    const headers = { "Idempotency-Key": randomUUID() };
    const send = () => project.answer(createSessionScore, { body: { session_id, name: "x", value: "1" }, headers });

    const [first, repeated] = [await send(), await send()];

    expect(repeated).toEqual(first);
    expect(await ofSession(session_id)).toEqual([first]);
  });
});

describe("the scores of a session", () => {
  test("are listed newest first, including repeated names", async () => {
    const session_id = await newSession();
    for (const value of ["1", "2", "3"]) await score({ session_id, value });

    expect((await ofSession(session_id)).map(({ value }) => value)).toEqual(["3", "2", "1"]);
  });

  test("are empty in another project", async () => {
    const { session_id } = await score();

    expect(await ofSession(session_id, newProject(service, service.stranger))).toEqual([]);
  });
});

describe("the list of session scores", () => {
  const listProject = newProject(service);
  let session = "";

  beforeAll(async () => {
    ({ session_id: session } = await score({ name: "one" }, listProject));
    await score({ name: "two", source: "PROGRAMMATIC" }, listProject);
    await score({ name: "three", session_id: session, data_type: "CATEGORICAL", value: "b" }, listProject);
  });

  const names = async (query: Readonly<Record<string, string>>) => {
    const { items, total } = await listProject.answer(listSessionScores, { query });
    return [total, ...items.map(({ name }) => name)];
  };

  test("is newest first, has pages and a total", async () => {
    expect(await names({})).toEqual([3, "three", "two", "one"]);
    expect(await names({ limit: "1", offset: "1" })).toEqual([3, "two"]);
  });

  test("can be filtered", async () => {
    expect(await names({ session_id: session })).toEqual([2, "three", "one"]);
    expect(await names({ session_id: session, name: "one" })).toEqual([1, "one"]);
    expect(await names({ source: "PROGRAMMATIC" })).toEqual([1, "two"]);
    expect(await names({ status: "FAILED" })).toEqual([0]);
    expect(await names({ eval_run_id: randomUUID() })).toEqual([0]);
    expect(await names({ date_from: "2099-01-01" })).toEqual([0]);
    expect(await names({ date_to: "2099-01-01" })).toEqual([3, "three", "two", "one"]);
  });

  test("has no trace scores, nor does the list of trace scores have session scores", async () => {
    expect((await listProject.answer(listTraceScores)).total).toBe(0);
  });
});

describe("a session score", () => {
  test("becomes the editor's annotation when it is edited", async () => {
    const user = bearerClient(service, service.tenant.projectId);
    const newScore = await score({ source: "PROGRAMMATIC", reason: "Before." }, user);

    const edited = await user.answer(updateSessionScore, {
      params: { score_id: newScore.id },
      body: { value: "0.9" },
    });

    const { updated_at } = edited;
    const original = expect.objectContaining({ value: "0.5", reason: "Before.", source: "PROGRAMMATIC" });
    expect(edited).toEqual({ ...newScore, value: "0.9", source: "ANNOTATION", original, updated_at });
    expect(newScore.author_user_id).toMatch(/./);
    expect(await ofSession(newScore.session_id, user)).toEqual([edited]);
  });

  test("cannot change its data type", async () => {
    const newScore = await score();
    const params = { score_id: newScore.id };

    expect(problems(await project.call(updateSessionScore, { params, body: { value: "x" } }))).toEqual(["body.value"]);
  });

  test("is not found after its deletion", async () => {
    const newScore = await score();
    const params = { score_id: newScore.id };

    await project.answer(deleteSessionScore, { params });

    expect(await ofSession(newScore.session_id)).toEqual([]);
    const secondDeletion = await project.call(deleteSessionScore, { params });
    expect(secondDeletion).toMatchObject({ status: 404, body: { detail: `Session score ${newScore.id} not found.` } });
    expectStatus(await project.call(updateSessionScore, { params, body: {} }), 404);
  });

  test("is found neither in another project nor as a trace score", async () => {
    const newScore = await score();
    const stranger = newProject(service, service.stranger);
    const byKind = { score_id: newScore.id };

    const replies = [
      await stranger.call(updateSessionScore, { params: byKind, body: {} }),
      await stranger.call(deleteSessionScore, { params: byKind }),
      await project.call(updateTraceScore, { params: byKind, body: {} }),
      await project.call(deleteTraceScore, { params: byKind }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(await ofSession(newScore.session_id)).toEqual([newScore]);
  });
});
