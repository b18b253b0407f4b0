import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getTraceAnalytics } from "../../../../lib/contract/traces/analytics.ts";
import { getSessionAnalytics } from "../../../../lib/contract/sessions/analytics.ts";
import { listSessions } from "../../../../lib/contract/sessions/sessions.ts";
import { getSessionScoreSummary, getTraceScoreSummary } from "../../../../lib/contract/scores/analytics.ts";
import { createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createSessionScore, listSessionScores } from "../../../../lib/contract/scores/session-scores.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { getTrace, listTraces, listUsers } from "../../../../lib/contract/traces/traces.ts";
import { itemsOf } from "../../../../lib/dynamo/items.ts";
import type { LakeFile } from "../../../../lib/store/lake/lake-file.ts";
import { lakeManifests } from "../../../../lib/store/lake/manifests.ts";
import { counterPrefix, countsPartition } from "../../../../lib/store/traces/counts.ts";
import { neverExpires } from "../../../../lib/dynamo/expiry.ts";
import { closeDay } from "../../../support/lake/close-day.ts";
import { newProject, type Client } from "../../../support/service/client.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService({ checkGrants: true });
});
afterAll(() => service.close());

const day = "2026-10-01";
const rowLimit = 2_000_000;

/** Raises the count of a project's traces in place of two million more. */
const raiseCount = (id: string) =>
  itemsOf(databaseOf(service), "aggregates").put({
    pk: countsPartition(id),
    sk: `${counterPrefix(neverExpires)}more`,
    n: rowLimit,
  });

/** Publishes files of the closed day with two million rows more than they have. */
const publishFiles = async (id: string, files: readonly LakeFile[]): Promise<void> => {
  const manifests = lakeManifests(databaseOf(service));
  const before = await manifests.get(id, day);
  const raised = files.map(({ rows, ...file }) => ({ ...file, rows: rows + rowLimit }));
  expect(before && (await manifests.publish(before, { files: raised }))).not.toBeNull();
};

/** A call of a model, at a time of the closed day. */
const call = (model: string, time: string, prompt_tokens: number) => ({
  span_id: randomUUID(),
  name: "y",
  kind: "LLM",
  model,
  started_at: `${day}T${time}Z`,
  token_usage: { prompt_tokens, completion_tokens: 1 },
  cost: { total: 0.25 },
});

/** Stores traces of a user on the closed day, each with two calls of a model, named as the user, an hour and more apart. @returns the project's id. */
const filedProject = async (project: Client, user: string, count: number): Promise<string> => {
  const traces = Array.from({ length: count }, (_, index) => ({
    trace_id: randomUUID(),
    name: "x",
    user_id: user,
    session_id: `s-${user}`,
    started_at: `${day}T10:00:0${index}Z`,
    ended_at: `${day}T10:00:0${index}.5Z`,
    status: "COMPLETED",
    spans: [call(user, "10:00:10", 4), call(user, "11:30:00", 8)],
  }));
  await project.answer(createTraces, { body: { traces } });
  for (const { trace_id } of traces)
    await project.answer(createTraceScore, { body: { trace_id, name: "helpful", value: 0.5 } });
  const { project_id: id } = await project.answer(getTrace, { params: { trace_id: traces[0]?.trace_id ?? "" } });
  await closeDay(service, project, id, day);
  return id;
};

test("analytics, users and sessions of more traces than rows may be read come from the files of closed days", async () => {
  const [project, other] = [newProject(service), newProject(service)];
  const [id, otherId] = [await filedProject(project, "u-1", 2), await filedProject(other, "u-2", 3)];
  const range = { started_after: day, started_before: "2026-10-02", granularity: "day" } as const;
  const users = () => project.call(listUsers, { query: {} });
  const sessions = () => project.call(listSessions, { query: {} });
  const figures = (metric: "volume" | "latency") =>
    project.answer(getTraceAnalytics, { query: { ...range, metric, status: "COMPLETED" } });
  expect((await users()).body).toMatchObject({ items: [{ user_id: "u-1", trace_count: 2 }], total: 1 });
  await raiseCount(id);
  const refused = { status: 422, body: { detail: [{ type: "too_many_rows" }] } };
  expect(await users()).toMatchObject(refused);
  expect(await sessions()).toMatchObject(refused);

  // The files of another project show what is read.
  await publishFiles(id, (await lakeManifests(databaseOf(service)).get(otherId, day))?.files ?? []);

  expect(await users()).toMatchObject({ status: 200, body: { items: [{ user_id: "u-2", trace_count: 3 }], total: 1 } });
  expect(await sessions()).toMatchObject({
    status: 200,
    body: { items: [{ session_id: "s-u-2", user_id: "u-2", trace_count: 3, total_latency_ms: 1500 }], total: 1 },
  });
  // Files have no scores of sessions.
  expect(await project.call(listSessions, { query: { score: ["quality>0"] } })).toMatchObject(refused);
  const bucket = { session_count: 1, avg_traces_per_session: 3, avg_session_duration_ms: 1500 };
  expect(await project.answer(getSessionAnalytics, { query: range })).toMatchObject([bucket]);
  expect(await figures("volume")).toMatchObject([{ trace_count: 3, error_count: 0 }]);
  expect(await figures("latency")).toMatchObject([{ avg_latency_ms: 500, p50_latency_ms: 500 }]);
  expect(await project.answer(getTraceAnalytics, { query: { ...range, metric: "values", by: "user_id" } })).toEqual([
    { value: "u-2", trace_count: 3, error_count: 0 },
  ]);
  const usage = (metric: "cost" | "models", started_before: string) =>
    project.answer(getTraceAnalytics, { query: { ...range, metric, status: "COMPLETED", started_before } });
  expect(await usage("cost", "2026-10-02")).toMatchObject([{ total_tokens: 42, prompt_tokens: 36, total_cost: 1.5 }]);
  expect(await usage("models", `${day}T11:00:00Z`)).toEqual([
    { model: "u-2", call_count: 3, total_tokens: 15, total_cost: 0.75 },
  ]);
  // A bound between spans of an hour is looked for in the documents: this project has none with these ids.
  expect(await usage("models", `${day}T11:15:00Z`)).toEqual([]);
});

test("scores by groups, and runs, of more traces than rows may be read come from the files of closed days", async () => {
  const project = newProject(service);
  const id = await filedProject(project, "u-3", 3);
  const query = { metric_name: "helpful", group_by: ["user_id"] };
  const answers = () =>
    Promise.all([
      project.call(getTraceScoreSummary, { query }),
      project.call(getSessionScoreSummary, { query }),
      project.call(listSessionScores, { query: { user_id: "u-3" } }),
    ]);
  const run = { name: "x", metrics: ["task_completion"], filters: { user_id: "u-3" } };
  const start = () => project.call(createTraceRun, { body: run, query: { dry_run: "true" } });
  const { items } = await project.answer(listTraces, { query: { limit: 1 } });
  const [late = ""] = items.map(({ trace_id }) => trace_id);
  const body = { session_id: "s-u-3", name: "helpful", value: 0.75 };
  await project.answer(createSessionScore, { body });
  await raiseCount(id);
  const refused = { status: 422, body: { detail: [{ type: "too_many_rows" }] } };
  expect(await answers()).toMatchObject([refused, refused, refused]);
  expect(await start()).toMatchObject(refused);

  await publishFiles(id, (await lakeManifests(databaseOf(service)).get(id, day))?.files ?? []);

  const group = { group: { user_id: "u-3" } };
  expect(await answers()).toMatchObject([
    { status: 200, body: [{ ...group, unit: "trace", count: 3, avg_score: 0.5 }] },
    { status: 200, body: [{ ...group, unit: "session", count: 1, avg_score: 0.75 }] },
    { status: 200, body: { items: [{ value: "0.75" }], total: 1 } },
  ]);
  expect(await start()).toMatchObject({ status: 200, body: { targets: 3 } });
  // A score of a trace in a closed day, after its files were written.
  await project.answer(createTraceScore, { body: { trace_id: late, name: "helpful", value: 0.2 } });
  await expect.poll(async () => (await answers())[0].body).toMatchObject([{ ...group, count: 3, avg_score: 0.4 }]);
});
