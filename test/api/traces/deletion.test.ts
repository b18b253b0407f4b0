import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { deleteSession } from "../../../lib/contract/sessions/sessions.ts";
import { createSpans, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { deleteTrace, deleteTraces } from "../../../lib/contract/traces/deletion.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { problems } from "../../support/reply-shape.ts";

const service = inject("service");
const start = "2026-10-01T10:00:00.000000+00:00";

const storeTrace = async (client: Client, fields: object = {}): Promise<string> => {
  const body = { name: "x", started_at: start, spans: [{ name: "y", started_at: start }], ...fields };
  return (await client.answer(createTrace, { body })).trace_id;
};

const statusOf = async (client: Client, trace_id: string): Promise<number> =>
  (await client.call(getTrace, { params: { trace_id } })).status;

describe("a trace that is deleted", () => {
  test("is not found on any route", async () => {
    const project = newProject(service);
    const [trace_id, otherTrace] = [await storeTrace(project), await storeTrace(project)];
    const params = { trace_id };

    const reply = await project.call(deleteTrace, { params });

    expect([reply.status, reply.text]).toEqual([204, ""]);
    const replies = await Promise.all([
      project.call(getTrace, { params }),
      project.call(deleteTrace, { params }),
      project.call(updateTrace, { params, body: { name: "z" } }),
      project.call(createSpans, { params, body: [{ name: "z", started_at: start }] }),
    ]);
    const [notFound, deleted] = [`Trace ${trace_id} not found.`, expect.stringContaining("trace_deleted")];
    expect(replies.map(({ status, body }) => [status, body])).toMatchObject(
      [notFound, notFound, deleted, deleted].map((detail: unknown) => [404, { detail }]),
    );
    expect((await project.answer(listTraces)).items.map((item) => item.trace_id)).toEqual([otherTrace]);
  });

  test("is new when it is sent again, and can be deleted again", async () => {
    const project = newProject(service);
    const trace_id = await storeTrace(project, { output: "old", tags: ["old"] });
    await project.answer(deleteTrace, { params: { trace_id } });
    await storeTrace(project, { trace_id, spans: [], tags: ["new"] });

    const newTrace = await project.answer(getTrace, { params: { trace_id } });

    expect(newTrace).toMatchObject({ output: null, tags: ["new"], spans: [] });
    await project.answer(deleteTrace, { params: { trace_id } });
    expect(await statusOf(project, trace_id)).toBe(404);
  });

  test("must be in the caller's project", async () => {
    const [mine, theirs] = [newProject(service), newProject(service, service.stranger)];
    const trace_id = await storeTrace(theirs);
    await storeTrace(mine, { trace_id });

    await mine.answer(deleteTrace, { params: { trace_id } });

    expect(await statusOf(mine, trace_id)).toBe(404);
    expect(await statusOf(theirs, trace_id)).toBe(200);
  });
});

describe("a deletion of several traces", () => {
  test("counts each trace once, and ignores ids that do not exist", async () => {
    const project = newProject(service);
    const [a, b, otherTrace] = [await storeTrace(project), await storeTrace(project), await storeTrace(project)];
    const foreign = await storeTrace(newProject(service, service.stranger));
    const trace_ids = [a, b, a.toUpperCase(), randomUUID(), foreign];

    const first = await project.answer(deleteTraces, { body: { trace_ids } });
    const second = await project.answer(deleteTraces, { body: { trace_ids } });

    expect([first, second]).toEqual([{ deleted: 2 }, { deleted: 0 }]);
    expect((await project.answer(listTraces)).items.map((item) => item.trace_id)).toEqual([otherTrace]);
  });

  test("counts each trace once among concurrent requests", async () => {
    const project = newProject(service);
    const trace_ids = await Promise.all(Array.from({ length: 12 }, () => storeTrace(project)));

    const counts = await Promise.all(
      Array.from({ length: 4 }, () => project.answer(deleteTraces, { body: { trace_ids } })),
    );

    expect(counts.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(12);
  });

  test("takes 1 to 500 UUIDs", async () => {
    const project = newProject(service);
    const ids = Array.from({ length: 501 }, () => randomUUID());
    const bodies = [{}, { trace_ids: [] }, { trace_ids: ids }, { trace_ids: "x" }, { trace_ids: [ids[0], "x", 7] }];

    const replies = await inTurn(bodies, (body) => project.call(deleteTraces, { body }));
    const largestReply = await project.answer(deleteTraces, { body: { trace_ids: ids.slice(1) } });

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual([
      ...Array.from({ length: 4 }, () => [422, ["body.trace_ids"]]),
      [422, ["body.trace_ids.1", "body.trace_ids.2"]],
    ]);
    expect(largestReply).toEqual({ deleted: 0 });
  });
});

describe("a session that is deleted", () => {
  test("deletes its traces, whatever the session's name, and returns their number", async () => {
    const project = newProject(service);
    const session_id = "chat 7/ü?#%";
    await Promise.all(Array.from({ length: 3 }, () => storeTrace(project, { session_id })));
    const otherTraces = [await storeTrace(project, { session_id: "other" }), await storeTrace(project)];

    const reply = await project.answer(deleteSession, { params: { session_id } });

    expect(reply).toEqual({ deleted: 3 });
    const { items } = await project.answer(listTraces);
    expect(items.map(({ trace_id }) => trace_id).toSorted()).toEqual(otherTraces.toSorted());
  });

  test("is answered 404 when it has no traces, never had any, or belongs to another project", async () => {
    const project = newProject(service);
    await storeTrace(project, { session_id: "gone" });
    await project.answer(deleteSession, { params: { session_id: "gone" } });
    await storeTrace(newProject(service, service.stranger), { session_id: "theirs" });

    const names = ["gone", "never", "theirs"];
    const replies = await inTurn(names, (session_id) => project.call(deleteSession, { params: { session_id } }));

    expect(replies.map(({ status, text }) => `${status} ${text}`)).toEqual(
      names.map((name) => `404 {"detail":"Session '${name}' not found."}`),
    );
  });

  test("can receive new traces afterwards", async () => {
    const project = newProject(service);
    await storeTrace(project, { session_id: "s" });
    await project.answer(deleteSession, { params: { session_id: "s" } });
    const later = await storeTrace(project, { session_id: "s" });

    expect(await statusOf(project, later)).toBe(200);
    expect(await project.answer(deleteSession, { params: { session_id: "s" } })).toEqual({ deleted: 1 });
  });
});
