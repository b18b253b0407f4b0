import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createDataset } from "../../../lib/contract/datasets/datasets.ts";
import { createDatasetItems } from "../../../lib/contract/datasets/items.ts";
import { createLangfuseDatasetItem } from "../../../lib/contract/langfuse/datasets.ts";
import { eraseUser, exportUser } from "../../../lib/contract/access/trace-users.ts";
import { createAlert, getAlert } from "../../../lib/contract/monitors/alerts.ts";
import { createMonitor, getMonitor } from "../../../lib/contract/monitors/monitors.ts";
import {
  createSessionBatchRun,
  createSessionRun,
  getSessionRun,
  listSessionRunTargets,
} from "../../../lib/contract/runs/session-runs.ts";
import { createTraceRun, getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createSessionScore, listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { itemsWithTexts } from "../../support/database/stored-texts.ts";
import { erasures, newPerson, tenants } from "../../support/erasure.ts";
import { expectStatus, type Reply } from "../../support/reply-shape.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import type { Client } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { someTrace } from "../../support/traces/traces.ts";

const newTenant = tenants();
const { database, erase, prove } = erasures();

/** Two traces of a person, one in a session of theirs and one in a session shared with somebody else. */
const fill = async (client: Client) => {
  const { user_id, secret } = newPerson();
  const [ownSession, shared] = [`ann@example.com ${randomUUID()}`, randomUUID()];
  const trace = (user: string, session_id: string) => someTrace({ user_id: user, session_id, input: secret });
  const [alone, beside, other] = [trace(user_id, ownSession), trace(user_id, shared), trace("Ben", shared)];
  await client.answer(createTraces, { body: { traces: [alone, beside, { ...other, input: "nothing" }] } });
  return { user_id, secret, ownSession, shared, beside: beside.trace_id, other: other.trace_id };
};

const namesOf = async (client: Client, session_id: string): Promise<readonly string[]> =>
  (await client.page(listSessionScores, { query: { session_id } })).items.map(({ name }) => name).toSorted();

test("an erased trace whose id came from an idempotency key is not stored by a repeated request", async () => {
  const { client, owner, params } = await newTenant();
  const request = {
    headers: { "Idempotency-Key": randomUUID() },
    body: { name: "a", started_at: "2026-10-01T10:00:00Z", user_id: "u" },
  };
  const { trace_id } = await client.answer(createTrace, request);
  expect(await client.answer(createTrace, request)).toMatchObject({ trace_id });
  await client.answer(eraseUser, { query: { user_id: "u" } });
  await prove(owner, params);

  const { id: dataset } = await client.answer(createDataset, { body: { name: "d" } });
  const items = [{ input: "copied words", expected_output: "x", source: { trace_id } }];
  expectStatus(await client.call(createDatasetItems, { params: { dataset_id: dataset }, body: { items } }), 404);
  const item = { datasetName: "d", input: "copied words", sourceTraceId: trace_id };
  expectStatus(await client.call(createLangfuseDatasetItem, { body: item }), 404);
  expect(await client.call(createTrace, request)).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining("trace_deleted") as string },
  });
  expect((await client.page(listTraces)).items).toEqual([]);
});

test("an export names no trace of others that a score of a shared session rests on", async () => {
  const { client } = await newTenant();
  const { user_id, shared, beside, other } = await fill(client);
  const body = { session_ids: [shared], metrics: ["agent_reliability" as const] };
  await endedRun(client, await client.answer(createSessionBatchRun, { body }));
  const [stored] = (await client.page(listSessionScores, { query: { session_id: shared } })).items;

  const reply: Reply<string> = await client.call(exportUser, { query: { user_id } });

  expect(Object.keys(Object(stored?.metadata["per_trace_signals"])).toSorted()).toEqual([beside, other].toSorted());
  expectStatus(reply, 200);
  const lines = reply.text.trim().split("\n");
  const score: unknown = lines.map((line): unknown => JSON.parse(line)).find((line) => Object(line).session_version);
  expect(score).toMatchObject({ id: stored?.id, value: stored?.value });
  expect(Object.keys(Object(score).metadata.per_trace_signals)).toEqual([beside]);
  expect(reply.text).not.toContain(other);
});

test("what is scored about a shared session after the request stays, unless it names an erased trace", async () => {
  const { client, owner, params } = await newTenant();
  const { user_id, shared, ownSession, beside } = await fill(client);
  const score = (name: string, session_id: string, reason: string) =>
    client.answer(createSessionScore, { body: { session_id, name, value: "1", reason } });
  await score("before", shared, "fine");
  const { id } = await client.answer(eraseUser, { query: { user_id } });
  await score("after", shared, "fine");
  await score("about the erased", shared, `see ${beside}`);
  await score("of a session that goes", ownSession, "fine");

  await erase(id);
  await score("later", shared, "fine");
  const body = { session_ids: [shared], metrics: ["agent_reliability" as const] };
  await endedRun(client, await client.answer(createSessionBatchRun, { body }));
  const { removed } = await prove(owner, params);

  expect(await namesOf(client, shared)).toEqual(["after", "agent_reliability", "later"]);
  expect(await namesOf(client, ownSession)).toEqual([]);
  expect(removed).toMatchObject({ session_scores: 3 });
});

test("filters lose the user and what they quote, and targets of runs the sessions that only the user had", async () => {
  const { client, owner, params } = await newTenant();
  const { user_id, secret, ownSession, shared } = await fill(client);
  const metrics = ["task_completion" as const];
  const monitor = { target_type: "TRACE" as const, metrics, cadence: "weekly" };
  const inFilters = { q: secret, user_id, metadata: {} };
  const runs = await Promise.all(
    [inFilters, { q: `x "${user_id}"` }, { tags: ["a", user_id] }, { q: "nothing" }].map((filters) =>
      client.answer(createTraceRun, { body: { metrics, filters } }),
    ),
  );
  const ofSessions = await Promise.all([
    client.answer(createSessionRun, { body: { metrics: ["agent_reliability"], filters: { user_id } } }),
    client.answer(createSessionBatchRun, {
      body: { metrics: ["agent_reliability"], session_ids: [ownSession, shared] },
    }),
  ]);
  const { id: monitor_id } = await client.answer(createMonitor, {
    body: { ...monitor, name: "m", filters: { session_id: ownSession, q: secret } },
  });
  const { id: alert_id } = await client.answer(createAlert, {
    body: { name: "a", signal: "volume", window: "1h", threshold: 1, filters: { first_error: secret, user_id } },
  });
  for (const run of [...runs, ...ofSessions]) await endedRun(client, run);

  const { id } = await client.answer(eraseUser, { query: { user_id } });
  await prove(owner, params);

  const filters = await Promise.all(
    runs.map(async (run) => (await client.answer(getTraceRun, { params: { run_id: run.id } })).filters),
  );
  expect(filters).toEqual([{ q: id, user_id: id, metadata: {} }, { q: id }, { tags: ["a", id] }, { q: "nothing" }]);
  const [filtered, batch] = ofSessions;
  const run = await client.answer(getSessionRun, { params: { run_id: filtered.id } });
  expect(run.filters).toEqual({ user_id: id });
  const { items } = await client.page(listSessionRunTargets, { params: { run_id: batch.id } });
  expect(items).toHaveLength(2);
  expect(items.map(({ target_id: target }) => target)).toContain(shared);
  expect((await client.answer(getMonitor, { params: { monitor_id } })).filters).toEqual({ session_id: id, q: id });
  expect((await client.answer(getAlert, { params: { alert_id } })).filters).toEqual({ first_error: id, user_id: id });
  // The stream's workers may lag the proof by seconds, and leave for an hour that a session has no newest score.
  const isKept = (item: string): boolean => !item.includes("#newest-session#");
  const texts = [user_id, secret, ownSession];
  expect(
    await eventually(async () =>
      (await itemsWithTexts(database, texts)).filter(isKept).length === 0 ? true : undefined,
    ),
  ).toBe(true);
});
