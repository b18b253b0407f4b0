import { expect, inject, test } from "vitest";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { deleteSession } from "../../../lib/contract/sessions/sessions.ts";
import { createSpans } from "../../../lib/contract/traces/changes.ts";
import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { createTraceScore, getTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { itemsOf } from "../../support/traces/purge.ts";
import { databaseAt } from "../../support/service/service-database.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));

const start = "2026-10-01T10:00:00.000000+00:00";

/** Stores a trace of several document pieces and gives it a score. */
const createScoredTrace = async (client: Client, fields: object = {}) => {
  const { trace_id } = await client.answer(createTrace, { body: { name: "x", started_at: start, ...fields } });
  await client.answer(createSpans, { params: { trace_id }, body: [{ name: "late", started_at: start }] });
  await client.answer(createTraceScore, { body: { trace_id, name: "helpful", value: "1" } });
  const { project_id } = await client.answer(getTrace, { params: { trace_id } });
  return { trace_id, project_id };
};

/** Waits until a project has at most this many document parts and scores. @returns the remaining ones. */
const waitForCounts = (project: string, bodies: number, scores: number) =>
  eventually(async () => {
    const items = await itemsOf(database, project);
    return items.bodies.length <= bodies && items.scores.length <= scores ? items : undefined;
  });

test("document parts and scores of a deleted trace are removed in the background, but not those of a trace that is sent again", async () => {
  const client = newProject(service);
  const [{ trace_id, project_id }, newTrace] = [await createScoredTrace(client), await createScoredTrace(client)];
  await client.answer(deleteTrace, { params: { trace_id } });
  await client.answer(deleteTrace, { params: { trace_id: newTrace.trace_id } });
  await createScoredTrace(client, { trace_id: newTrace.trace_id });

  const { rows, fences: tombstones, bodies, scores } = await waitForCounts(project_id, 2, 2);

  expect([rows.length, tombstones.length, bodies.length, scores.length]).toEqual([1, 1, 2, 2]);
  const params = { score_id: newTrace.trace_id };
  expect(await client.answer(getTraceScores, { params })).toMatchObject([{ name: "helpful" }]);
});

test("traces and scores of a deleted session are removed in the background, and the total is updated", async () => {
  const client = newProject(service);
  const session_id = "chat-7";
  const { project_id } = await createScoredTrace(client, { session_id });
  await createScoredTrace(client, { session_id });
  await client.answer(createSessionScore, { body: { session_id, name: "solved", value: "1" } });
  const { deleted } = await client.answer(deleteSession, { params: { session_id } });

  const { rows, bodies, scores } = await waitForCounts(project_id, 0, 0);

  expect([deleted, rows, bodies, scores]).toEqual([2, [], [], []]);
  expect(await client.answer(listTraces)).toMatchObject({ items: [], total: 0 });
});
