import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceScore, listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { listTraces, listUsers } from "../../../lib/contract/traces/traces.ts";
import type { Client } from "../../support/service/client.ts";
import { declaringProject } from "../../support/service/declaring-project.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { people } from "../../support/users.ts";

const { organization } = people();
let project: Client;

interface DayTrace {
  readonly name: string;
  readonly release: string;
  readonly failed?: true;
  /** Name of a tool that fails in a trace that has not failed. */
  readonly tool?: string;
  readonly model: string;
  readonly seconds: number;
  readonly cost: number;
  readonly session?: string;
  readonly user: string;
  readonly tier: string;
  readonly completion?: number;
}

/** Traces of the day after a faulty release. */
const day: readonly DayTrace[] = [
  { name: "a", release: "2.2", model: "model-s", seconds: 1, cost: 0.1, user: "ann", tier: "free", completion: 0.9 },
  {
    name: "b",
    release: "2.3",
    failed: true,
    model: "model-l",
    seconds: 40,
    cost: 2,
    session: "s-1",
    user: "bob",
    tier: "gold",
    completion: 0.2,
  },
  {
    name: "c",
    release: "2.3",
    failed: true,
    model: "model-l",
    seconds: 20,
    cost: 3,
    session: "s-1",
    user: "bob",
    tier: "gold",
    completion: 0.4,
  },
  {
    name: "d",
    release: "2.3",
    failed: true,
    model: "model-l",
    seconds: 9,
    cost: 5,
    session: "s-2",
    user: "cy",
    tier: "free",
    completion: 0.8,
  },
  {
    name: "e",
    release: "2.3",
    tool: "refund",
    model: "model-s",
    seconds: 3,
    cost: 0.5,
    session: "s-2",
    user: "cy",
    tier: "free",
  },
  {
    name: "f",
    release: "2.3",
    model: "model-s",
    seconds: 2,
    cost: 0.25,
    user: "ann",
    tier: "gold",
    completion: 0.95,
  },
  {
    name: "g",
    release: "2.2",
    failed: true,
    model: "model-l",
    seconds: 60,
    cost: 4,
    session: "s-3",
    user: "dee",
    tier: "gold",
    completion: 0.1,
  },
];

const ids = new Map(day.map(({ name }) => [name, randomUUID()]));
const idOf = (name: string): string => ids.get(name) ?? "";
const spans = new Map(day.map(({ name }) => [name, randomUUID()]));

const bodyOf = (
  { name, release, failed, tool, model, seconds, cost, session, user, tier }: DayTrace,
  index: number,
) => {
  const start = Date.UTC(2026, 9, 7, 9 + index);
  const started_at = new Date(start).toISOString();
  return {
    trace_id: idOf(name),
    name,
    release,
    status: failed === true ? "ERROR" : "COMPLETED",
    started_at,
    ended_at: new Date(start + seconds * 1000).toISOString(),
    session_id: session ?? null,
    user_id: user,
    metadata: { tier },
    spans: [
      { span_id: spans.get(name), name: "call", kind: "LLM", started_at, model, cost: { total: cost } },
      ...(tool === undefined ? [] : [{ name: tool, kind: "TOOL", started_at, status: "ERROR", error: "no" }]),
    ],
  };
};

beforeAll(async () => {
  project = await declaringProject(inject("service"), organization, ["tier"]);
  await project.answer(createTraces, { body: { traces: day.map(bodyOf) } });
  const score = (body: object) => project.answer(createTraceScore, { body });
  const completed = day.flatMap(({ name, completion: value }) => (value === undefined ? [] : [{ name, value }]));
  await Promise.all(
    completed.map(({ name, value }) => score({ trace_id: idOf(name), name: "task_completion", value })),
  );
  await score({ trace_id: idOf("f"), name: "helpful", value: false, data_type: "BOOLEAN" });
  await score({
    trace_id: idOf("e"),
    span_id: spans.get("e"),
    name: "refund_right",
    value: 0,
    metadata: { success: false },
  });
  await project.answer(createSessionScore, { body: { session_id: "s-1", name: "agent_reliability", value: 0.3 } });
  await project.answer(createSessionScore, { body: { session_id: "s-2", name: "agent_reliability", value: 0.8 } });
  const countScored = (route: typeof listTraces | typeof listSessions, name: string, count: number) =>
    eventually(
      async () => (await project.answer(route, { query: { score: `${name}!=x` } })).total === count || undefined,
    );
  await countScored(listTraces, "task_completion", 6);
  await countScored(listTraces, "helpful", 1);
  await countScored(listSessions, "agent_reliability", 2);
});

type Query = Readonly<Record<string, string | readonly string[]>>;

const traces = async (query: Query): Promise<string[]> =>
  (await project.answer(listTraces, { query })).items.map(({ name }) => name);

test("finds the most expensive failed traces of release 2.3 with task completion below 0.5", async () => {
  expect(await traces({ has_error: "true", release: "2.3", score: "task_completion<0.5", sort_by: "cost" })).toEqual([
    "c",
    "b",
  ]);
});

test("finds failed tool calls in successful traces", async () => {
  expect(await traces({ tool: "refund", has_error: "true", status: "COMPLETED" })).toEqual(["e"]);
});

test("finds the slowest traces of gold customers over ten seconds", async () => {
  expect(await traces({ "metadata.tier": "gold", min_latency_ms: "10000", sort_by: "latency" })).toEqual([
    "g",
    "b",
    "c",
  ]);
});

test("finds traces over a dollar with the large model and a good score, with their scores", async () => {
  const { items } = await project.answer(listTraces, {
    query: { model: "model-l", min_cost: "1", score: "task_completion>=0.5", include: ["scores", "preview"] },
  });

  expect(items).toMatchObject([
    {
      name: "d",
      input_preview: null,
      scores: [{ name: "task_completion", value: "0.8", data_type: "NUMERIC", source: "ANNOTATION" }],
    },
  ]);
  expect((await project.answer(listTraces, { query: { limit: "1" } })).items[0]).not.toHaveProperty("scores");
  const [worst] = (await project.answer(listTraces, { query: { limit: "1", include: "preview" } })).items;
  expect([worst?.input_preview, worst?.scores]).toEqual([null, undefined]);
});

test("sorts the traces of the release by score, those without a score last", async () => {
  const query = { release: "2.3", sort_by: "score", sort_metric: "task_completion", sort_order: "asc" };

  expect(await traces(query)).toEqual(["b", "c", "d", "f", "e"]);
  expect((await project.call(listTraces, { query: { sort_by: "score" } })).status).toBe(422);
  const unscoredLast = { query: { sort_by: "cost", sort_metric: "task_completion" } };
  for (const list of [listTraces, listSessions] as const)
    expect((await project.call(list, unscoredLast)).body).toMatchObject({
      detail: [{ loc: ["query", "sort_metric"] }],
    });
});

test("finds failed traces without a score, and traces with one good and one bad score", async () => {
  expect(await traces({ has_error: "true", no_score: "task_completion" })).toEqual(["e"]);
  expect(await traces({ score: ["task_completion>0.9", "helpful=false"] })).toEqual(["f"]);
});

test("finds unreliable conversations over a dollar, with their scores", async () => {
  const { items } = await project.answer(listSessions, {
    query: { score: "agent_reliability<0.5", min_cost: "1", include: "scores" },
  });

  expect(items).toMatchObject([
    { session_id: "s-1", total_cost: 5, scores: [{ name: "agent_reliability", value: "0.3" }] },
  ]);
});

test("sorts users by their cost in the release", async () => {
  const users = async (filter: object) => {
    const { items } = await project.answer(listUsers, { query: { release: "2.3", sort_by: "cost", ...filter } });
    return items.map(({ user_id, total_cost }) => [user_id, total_cost]);
  };

  expect(await users({ has_failed_span: "true" })).toEqual([
    ["cy", 5.5],
    ["bob", 5],
  ]);
  // An error of a user is a trace with the status ERROR: half a dollar of cy's was spent by one with a failed span only.
  expect(await users({ has_error: "true" })).toEqual([
    ["cy", 5],
    ["bob", 5],
  ]);
});

test("counts the release's failed traces by hour, next to the cost of the large model", async () => {
  const range = { started_after: "2026-10-07", started_before: "2026-10-08", release: "2.3" };
  const failures = await project.answer(getTraceAnalytics, {
    query: { ...range, metric: "errors", granularity: "hour" },
  });
  const cost = await project.answer(getTraceAnalytics, { query: { ...range, metric: "cost", model: "model-l" } });

  expect(failures.map((bucket) => "error_count" in bucket && bucket.error_count)).toEqual([1, 1, 1, 0, 0]);
  expect(cost).toMatchObject([{ total_cost: 10 }]);
});

test("lists spans with bad scores, lowest first", async () => {
  const spanScoreQuery = { success: "false", max_value: "0.5", sort_by: "value", sort_order: "asc" };
  const { items } = await project.answer(listTraceScores, {
    query: { ...spanScoreQuery, span_id: spans.get("e") ?? "" },
  });

  expect(items).toMatchObject([{ name: "refund_right", value: "0", trace_id: idOf("e"), span_id: spans.get("e") }]);
  expect(
    (await project.answer(listTraceScores, { query: { name: "task_completion", sort_by: "value" } })).items.map(
      ({ value }) => value,
    ),
  ).toEqual(["0.95", "0.9", "0.8", "0.4", "0.2", "0.1"]);
});

test("a run with the filters of a list evaluates the same traces", async () => {
  const body = {
    metrics: ["confidence"],
    filters: { release: "2.3", score: ["task_completion<0.5"], has_error: true },
  };

  expect(await project.call(createTraceRun, { query: { dry_run: "true" }, body })).toMatchObject({
    body: { targets: 2 },
  });
});

test("an undeclared metadata key and an invalid condition are refused with their name", async () => {
  const undeclared = await project.call(listTraces, { query: { "metadata.plan": "pro" } });
  const malformed = await project.call(listTraces, { query: { score: "task_completion" } });

  expect(undeclared).toMatchObject({ status: 422, body: { detail: [{ loc: ["query", "metadata.plan"] }] } });
  expect(JSON.stringify(undeclared.body)).toContain("It has declared: tier.");
  expect(malformed).toMatchObject({ status: 422, body: { detail: [{ loc: ["query", "score"] }] } });
});
