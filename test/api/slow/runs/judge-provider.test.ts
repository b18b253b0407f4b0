import { afterAll, beforeAll, expect, test } from "vitest";
import { createCustomMetric } from "../../../../lib/contract/metrics/custom-metrics.ts";
import { previewCustomMetric } from "../../../../lib/contract/metrics/preview.ts";
import { createMonitor, getMonitor, updateMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import {
  createTraceBatchRun,
  createTraceRun,
  getTraceRun,
  listTraceRuns,
  listTraceRunTargets,
  retryTraceRun,
} from "../../../../lib/contract/runs/trace-runs.ts";
import { itemsOf } from "../../../../lib/dynamo/items.ts";
import { packOrder, unpackRun } from "../../../../lib/store/runs/codec.ts";
import { runKey } from "../../../../lib/store/runs/keys.ts";
import { someMetric } from "../../../support/custom-metric.ts";
import { type BrokenServer, brokenBehaviours, startBrokenServer } from "../../../support/faults/broken-server.ts";
import { completionAnswer, type FakeJudge, reply, says, startFakeJudge } from "../../../support/runs/fake-judge.ts";
import { passTime } from "../../../support/runs/pass-time.ts";
import { expectExact, sweptRun } from "../../../support/runs/swept-run.ts";
import { addTraces, startRun } from "../../../support/runs/trace-runs.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

const targets = 30;
const previewedTrace = {
  name: "x",
  started_at: "2026-10-01",
  input: "Rename me.",
  output: "I cannot be changing a name.",
};

/** Milliseconds after which the sweeper sends a slice again whose message is still in the queue. */
const messageWait = 11 * 60_000;

let service: RunningService;
let judge: FakeJudge;
let silentProvider: BrokenServer;

const previewUnanswered = () =>
  newProject(service).answer(previewCustomMetric, {
    body: { metric: someMetric("declines"), trace: previewedTrace, model: "systemone/jev" },
  });
/** A preview that waits for the silent provider while the other tests run. */
let unansweredPreview: ReturnType<typeof previewUnanswered>;

beforeAll(async () => {
  judge = await startFakeJudge();
  silentProvider = await startBrokenServer(brokenBehaviours.silent);
  service = await startService({
    providers: {
      openai: { key: "sk-test", baseUrl: judge.url },
      systemone: { baseUrl: silentProvider.url },
    },
  });
  unansweredPreview = previewUnanswered();
});

afterAll(async () => {
  await service.close();
  await judge.close();
  await silentProvider.close();
});

test("a run is judged by the configured provider and no other", async () => {
  const client = newProject(service);
  const ids = await addTraces(client, targets);
  const failed = await sweptRun(service, client, await startRun(client, { model: "anthropic/claude-opus-5" }));
  const callsBefore = judge.calls.length;
  const run = await sweptRun(service, client, await startRun(client, { model: "openai/judge" }));

  expect(failed).toMatchObject({ status: "FAILED", failed_count: targets });
  expect(callsBefore).toBe(0);
  await expectExact(client, run, ids);
  expect(judge.calls).toHaveLength(targets);
});

const chatJudge = { model: "openai/judge" };
const when = { confidence_below: 0.8, coverage_below: null };
const cascade = {
  judge: { first: "openai-decisions/gpt-5.4-mini", escalate: { to: "openai/judge", when, at_most: 1 } },
};

test.each([
  ["the model of a run", { ...chatJudge, max_cost_usd: 1 }, ["body", "model"]],
  ["a decision model", { model: "systemone/jev", max_cost_usd: 1 }, ["body", "model"]],
  ["the second judge", { ...cascade, max_cost_usd: 1 }, ["body", "judge", "escalate", "to"]],
])("a ceiling needs the price of a configured judge, else nothing is created: %s", async (_, body, loc) => {
  const client = newProject(service);
  const trace_ids = await addTraces(client, 1);
  const metrics = ["task_completion"];

  const replies = await Promise.all([
    client.call(createTraceBatchRun, { body: { trace_ids, metrics, ...body } }),
    client.call(createTraceRun, { body: { metrics, ...body } }),
    client.call(createTraceRun, { body: { metrics, ...body }, query: { dry_run: "true" } }),
  ]);

  for (const { status, text } of replies)
    expect({ status, text }).toMatchObject({ status: 422, text: expect.stringContaining(JSON.stringify(loc)) });
  expect(replies[0]?.text).toContain("is not known, so that no ceiling could hold");
  expect((await client.answer(listTraceRuns)).total).toBe(0);
});

test("a ceiling of a monitor or a retry needs the price of a configured judge, too", async () => {
  const client = newProject(service);
  const monitor = {
    name: "daily",
    target_type: "TRACE",
    metrics: ["task_completion"],
    cadence: "daily",
    ...chatJudge,
  };
  const refused = async (reply: Promise<{ readonly status: number; readonly text: string }>, loc: string) => {
    const { status, text } = await reply;
    expect({ status, text }).toMatchObject({ status: 422, text: expect.stringContaining(loc) });
    expect(text).toContain("is not known, so that no ceiling could hold");
  };

  await refused(client.call(createMonitor, { body: { ...monitor, max_cost_usd: 1 } }), '["body","model"]');
  const { id } = await client.answer(createMonitor, { body: monitor });
  const params = { monitor_id: id };
  await refused(client.call(updateMonitor, { params, body: { max_cost_usd: 1 } }), '["body","model"]');
  const changed = { max_cost_usd: 1, model: "openai/gpt-5.4-mini" };
  await client.answer(updateMonitor, { params, body: changed });
  await refused(client.call(updateMonitor, { params, body: { model: "openai/judge" } }), '["body","model"]');
  expect(await client.answer(getMonitor, { params })).toMatchObject(changed);

  await addTraces(client, 1);
  judge.script(reply(401, {}));
  const run = await sweptRun(service, client, await startRun(client, chatJudge));
  judge.script(says(completionAnswer()));
  // A run under a ceiling whose judge was configured since.
  const [items, key] = [itemsOf(databaseOf(service), "runs"), runKey(run.project_id, run.id)];
  const { order } = unpackRun((await items.get(key)) ?? {}).run;
  await items.update(key, "SET d = :d", { values: { ":d": packOrder({ ...order, maxCostUsd: 1 }) } });
  await refused(client.call(retryTraceRun, { params: { run_id: run.id } }), '["path","run_id"]');
});

test("a judge without a price is accepted without a ceiling, and with one where its provider is not configured or no metric asks it", async () => {
  const client = newProject(service);
  await addTraces(client, 1);
  const description = "Evaluates whether the answer is short.";
  const check = { type: "length", max: 5 };
  await client.answer(createCustomMetric, { body: { name: "short", kind: "check", description, check } });
  const bodies = [
    { metrics: ["task_completion"], ...chatJudge },
    { metrics: ["task_completion"], model: "custom/x", max_cost_usd: 1 },
    { metrics: ["short"], ...chatJudge, max_cost_usd: 1 },
  ];

  const replies = await Promise.all(bodies.map((body) => client.call(createTraceRun, { body })));

  expect(replies.map(({ status, text }) => (status === 202 ? status : text))).toEqual(bodies.map(() => 202));
});

test("each target of a run shows that it waits for a provider that is unavailable", async () => {
  const client = newProject(service);
  const ids = await addTraces(client, targets);
  judge.script(reply(503, {}));
  const run = await startRun(client, { model: "openai/judge" });
  const params = { run_id: run.id };

  const waiting = await eventually(async () => {
    const { items } = await client.answer(listTraceRunTargets, { params });
    return items.every(({ waiting_for }) => waiting_for !== null) ? items : undefined;
  });
  const { waiting_for } = await client.answer(getTraceRun, { params });
  judge.script(says(completionAnswer()));
  await passTime(databaseOf(service), run, messageWait);
  const finalRun = await sweptRun(service, client, run);
  const { items: after } = await client.answer(listTraceRunTargets, { params });

  expect(waiting_for).toMatch(/provider|judge/iu);
  expect(waiting).toHaveLength(targets);
  expect(new Set(waiting.map((target) => `${target.state}: ${target.waiting_for}`))).toEqual(
    new Set([`waiting: ${waiting_for}`]),
  );
  await expectExact(client, finalRun, ids);
  expect(new Set(after.map((target) => target.waiting_for))).toEqual(new Set([null]));
});

test("a preview whose provider does not answer in time says so within the gateway's time limit", async () => {
  const { items } = await unansweredPreview;

  expect(silentProvider.requests).toBe(1);
  expect(items[0]?.score).toMatchObject({
    status: "FAILED",
    metadata: { code: "judge_unavailable" },
    reason: expect.stringContaining("in time"),
  });
});
