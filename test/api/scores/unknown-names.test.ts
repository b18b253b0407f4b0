import { beforeAll, expect, inject, test } from "vitest";
import { createAlert, getAlert } from "../../../lib/contract/monitors/alerts.ts";
import { previewAlert } from "../../../lib/contract/monitors/alert-preview.ts";
import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { createMonitor, updateMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import {
  getTraceScoreDistribution,
  getTraceScoreSummary,
  getTraceScoreTrend,
} from "../../../lib/contract/scores/analytics.ts";
import { compareSessionScores, getSessionScoreHistory } from "../../../lib/contract/scores/session-analytics.ts";
import { listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { compareTraceScores } from "../../../lib/contract/scores/comparison.ts";
import { createTraceScore, listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { getSessionAnalytics } from "../../../lib/contract/sessions/analytics.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { createTrace, listTraces, listUsers } from "../../../lib/contract/traces/traces.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { inTurn } from "../../support/in-turn.ts";
import { warningsOf } from "../../support/reply-shape.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const client = newProject(service);

beforeAll(async () => {
  await client.answer(createCustomMetric, { body: someMetric("tone") });
  for (const release of ["1", "2"]) {
    const { trace_id } = await client.answer(createTrace, { body: someTrace({ release }) });
    for (const name of ["free", "tone"])
      await client.answer(createTraceScore, { body: { trace_id, name, value: "1", data_type: "NUMERIC" } });
  }
  // Counters of scores lag by seconds.
  await eventually(async () => {
    const replies = [
      await client.call(listTraces, { query: { score: "free=1" } }),
      await client.call(listTraces, { query: { score: "tone=1" } }),
    ];
    return replies.every((reply) => warningsOf(reply).length === 0) || undefined;
  });
});

test.each([
  [{ score: "free=1" }, []],
  [{ score: "tone@1=1" }, []],
  [{ score: "fre=1" }, ['of a trace has the name "fre"']],
  [{ score: "free@2=1" }, ['There is no version 2 of "free"; it has 0.']],
  [{ score: "tone@2=1" }, ['There is no version 2 of "tone"; it has 1.']],
  [{ score: "fre=1" }, ['Did you mean "free"?']],
  [{ score: "ton@1=1" }, ['Did you mean "tone"?']],
  [{ no_score: "task_completon" }, ['Did you mean "task_completion"?']],
])("a filter of traces by %j is told what it cannot match", async (query, expected) => {
  const routes = [listTraces, listUsers, getTraceAnalytics, getSessionAnalytics];
  const warnings = await inTurn(routes, async (route) => warningsOf(await client.call(route, { query })));

  expect(warnings).toEqual(routes.map(() => expected.map((text) => expect.stringContaining(text) as unknown)));
});

test("a filter of sessions names scores of sessions, and an order one that there is", async () => {
  const sessions = await client.call(listSessions, { query: { score: "free=1" } });
  const sorted = await client.call(listTraces, { query: { sort_by: "score", sort_metric: "fre" } });

  expect(warningsOf(sessions)).toEqual([expect.stringContaining('of a session has the name "free"')]);
  expect(warningsOf(sorted)).toEqual([expect.stringContaining('of a trace has the name "fre"')]);
});

test("every other route that filters scores by a name, or filters by a score, names one that there is not", async () => {
  const filters = { score: ["fre<1"] };
  const run = { filters, metrics: ["tool_correctness"] };
  const name = { metric_name: "fre" };
  const monitor = { name: "m", target_type: "TRACE", cadence: "daily", metrics: run.metrics };
  const { id: monitor_id } = await client.answer(createMonitor, { body: monitor });
  const replies = await Promise.all([
    client.call(listTraceScores, { query: { score: "fre>1" } }),
    client.call(listTraceScores, { query: { name: "fre" } }),
    client.call(listSessionScores, { query: { name: "fre" } }),
    client.call(getTraceScoreSummary, { query: name }),
    client.call(getTraceScoreTrend, { query: name }),
    client.call(getTraceScoreDistribution, { query: name }),
    client.call(getTraceScoreDistribution, { query: { metric_name: "free", score: "fre>1" } }),
    client.call(compareTraceScores, { query: { ...name, baseline: "release:1", candidate: "release:2" } }),
    client.call(compareSessionScores, { query: name }),
    client.call(getSessionScoreHistory, { params: { session_id: "s" }, query: name }),
    client.call(createTraceRun, { body: run }),
    client.call(createTraceRun, { query: { dry_run: "true" }, body: run }),
    client.call(createMonitor, { body: { ...monitor, filters } }),
    client.call(updateMonitor, { params: { monitor_id }, body: { filters } }),
  ]);
  const names = replies.map((reply) => warningsOf(reply).join(" "));
  const knownReplies = [
    await client.call(getTraceScoreSummary, { query: { metric_name: "free" } }),
    await client.call(listTraceScores, { query: { name: "tone" } }),
    await client.call(getTraceScoreTrend, { query: { metric_name: "free", date_to: "2001-01-01T00:00:00Z" } }),
  ];

  expect(names).toEqual(names.map(() => expect.stringMatching(/has the name "fre"\./u) as unknown));
  expect(knownReplies.flatMap(warningsOf)).toEqual([]);
});

test("an alert on a name that neither a score nor a metric has says so, when it is made, previewed and read", async () => {
  const rule = { name: "x", signal: "score_mean", window: "1h", threshold: 0.5 };
  const warnings = ['No score and no metric has the name "task_completon". Did you mean "task_completion"?'];

  const created = await client.call(createAlert, { body: { ...rule, metric_name: "task_completon" } });
  const preview = await client.call(previewAlert, { body: { ...rule, metric_name: "task_completon" } });
  const { id } = created.body as { readonly id: string };
  const stored = await client.answer(getAlert, { params: { alert_id: id } });

  for (const reply of [created, preview]) {
    expect(reply.body).toMatchObject({ warnings });
    expect(warningsOf(reply)).toEqual(warnings);
  }
  expect(stored).toMatchObject({ warnings });
  const near = await client.call(previewAlert, { body: { ...rule, metric_name: "fre" } });
  expect(near.body).toMatchObject({ warnings: [expect.stringContaining('Did you mean "free"?')] });
  const others = await inTurn(["free", "tone", "task_completion", "agent_reliability"], async (metric_name) =>
    client.call(previewAlert, { body: { ...rule, metric_name } }),
  );
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(others.filter(({ text }) => text.includes("no metric has the name"))).toEqual([]);
});

test("a metric that neither runs nor monitors know is told with the nearest one", async () => {
  const body = { name: "m", target_type: "TRACE", cadence: "daily", metrics: ["ton", "task_completon"] };

  const replies = [
    await client.call(createMonitor, { body }),
    await client.call(createTraceRun, { body: { metrics: body.metrics } }),
  ];

  const message = expect.stringContaining('Did you mean "tone"? Did you mean "task_completion"?') as unknown;
  expect(replies).toMatchObject(replies.map(() => ({ status: 422, body: { detail: [{ msg: message }] } })));
});

test("a comparison names sides that no trace matches, filters that contradict, and scores without a threshold", async () => {
  const compared = (query: object) =>
    client.call(compareTraceScores, {
      query: { metric_name: "free", baseline: "release:1", candidate: "release:2", ...query },
    });

  const [plain, contradicting, empty] = [
    await compared({}),
    await compared({ release: "2" }),
    await compared({ candidate: "release:3" }),
  ];

  expect(warningsOf(plain)).toEqual([]);
  expect(plain.body).toMatchObject({
    baseline: { pass_rate: { reason: "no_threshold" }, mean: { reason: "too_few" } },
    pass_rate: { reason: "no_threshold" },
    mean: { reason: "too_few" },
  });
  expect(warningsOf(contradicting)).toEqual([expect.stringMatching(/^No trace matches baseline: .* of release\.$/u)]);
  expect(warningsOf(empty)).toEqual(["No trace matches candidate."]);
});
