import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  getSessionScoreDistribution,
  getSessionScoreSummary,
  getSessionScoreTrend,
  getTraceScoreDistribution,
  getTraceScoreSummary,
  getTraceScoreTrend,
} from "../../../lib/contract/scores/analytics.ts";
import { compareSessionScores, getSessionScoreHistory } from "../../../lib/contract/scores/session-analytics.ts";
import { createCustomMetric, updateCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { createSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { createTraceRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import {
  createSessionScore,
  deleteSessionScore,
  listSessionScores,
} from "../../../lib/contract/scores/session-scores.ts";
import {
  createTraceScore,
  deleteTraceScore,
  listTraceScores,
  updateTraceScore,
} from "../../../lib/contract/scores/trace-scores.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { bucketOf, hourOf } from "../../../lib/domain/analytics/bucket.ts";
import { withMicroseconds } from "../../../lib/domain/instant.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { problems } from "../../support/reply-shape.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");

type Sent = Readonly<Record<string, string>>;

/** Reads a value until it is as expected, or time is up. @returns the last value. */
const settledValue = async <Value>(
  read: () => Promise<Value>,
  isSettled: (value: Value) => boolean,
): Promise<Value> => {
  let last = await read();
  await eventually(async () => {
    last = await read();
    return isSettled(last) ? true : undefined;
  }).catch(() => undefined);
  return last;
};

const scoreTrace = async (client: Client, bodies: readonly Sent[]) => {
  const { trace_id } = await client.answer(createTrace, { body: someTrace() });
  const scores = [];
  for (const body of bodies) scores.push(await client.answer(createTraceScore, { body: { trace_id, ...body } }));
  return scores;
};

test("averages say how many of their scores are by the offline judge's rules, until a person has changed them", async () => {
  const project = newProject(service);
  const { trace_id } = await project.answer(createTrace, { body: someTrace() });
  await project.answer(createTraceScore, { body: { trace_id, name: "task_completion", value: 0.5 } });
  const order = { metrics: ["task_completion"], model: "offline/rules" };
  const run = await endedRun(project, await project.answer(createTraceRun, { body: order }));
  const query = { metric_name: "task_completion" };
  const counts = async () => {
    const [[summary], groups, [bucket]] = await Promise.all([
      project.answer(getTraceScoreSummary, { query }),
      project.answer(getTraceScoreSummary, { query: { ...query, group_by: "judge" } }),
      project.answer(getTraceScoreTrend, { query }),
    ]);
    const ofGroups = groups.reduce((sum, { rule_based_count: count }) => sum + count, 0);
    return [summary?.success_count, summary?.rule_based_count, ofGroups, bucket?.rule_based_count];
  };

  expect(await settledValue(counts, ([successes]) => successes === 2)).toEqual([2, 1, 1, 1]);

  const [score] = (await project.page(listTraceRunScores, { params: { run_id: run.id } })).items;
  await project.answer(updateTraceScore, { params: { score_id: score?.id ?? "" }, body: { value: 0.25 } });
  expect(await settledValue(counts, ([, ruleBased]) => ruleBased === 0)).toEqual([2, 0, 0, 0]);
});

describe("the summary of traces' scores", () => {
  const project = newProject(service);
  let sentScores: Awaited<ReturnType<typeof scoreTrace>> = [];

  beforeAll(async () => {
    sentScores = await scoreTrace(project, [
      { name: "helpful", value: "0.1" },
      { name: "helpful", value: "0.2" },
      { name: "helpful", value: "0.9" },
      { name: "helpful", value: "1" },
      { name: "helpful", value: "true", data_type: "BOOLEAN" },
      { name: "tone", value: "warm", data_type: "CATEGORICAL" },
      { name: "Wit", value: "-3", source: "PROGRAMMATIC" },
    ]);
  });

  const summary = (query: Sent = {}) => project.answer(getTraceScoreSummary, { query });
  const isComplete = (rows: Awaited<ReturnType<typeof summary>>) =>
    rows.reduce((sum, { success_count, failed_count }) => sum + success_count + failed_count, 0) >= sentScores.length;

  test("has averages of the numbers of scores, true as 1, counts of all and of categories, and marks several types, by name", async () => {
    const rows = await settledValue(() => summary(), isComplete);

    expect(rows).toEqual([
      {
        metric_name: "Wit",
        avg_score: -3,
        min_score: -3,
        max_score: -3,
        median_score: -3,
        success_count: 1,
        failed_count: 0,
        inapplicable_count: 0,
        rule_based_count: 0,
        latest_score_at: sentScores[6]?.created_at,
      },
      {
        metric_name: "helpful",
        avg_score: 0.64,
        min_score: 0.1,
        max_score: 1,
        median_score: 0.9,
        success_count: 5,
        failed_count: 0,
        inapplicable_count: 0,
        rule_based_count: 0,
        latest_score_at: sentScores[4]?.created_at,
        mixed: ["types"],
      },
      {
        metric_name: "tone",
        avg_score: null,
        min_score: null,
        max_score: null,
        median_score: null,
        success_count: 1,
        failed_count: 0,
        inapplicable_count: 0,
        rule_based_count: 0,
        latest_score_at: sentScores[5]?.created_at,
        values: [{ value: "warm", count: 1 }],
      },
    ]);
  });

  test("includes its range to the microsecond", async () => {
    const [from, to] = [sentScores[1]?.created_at ?? "", sentScores[3]?.created_at ?? ""];
    const inside = sentScores.filter(
      ({ name, created_at }) => name === "helpful" && created_at >= from && created_at < to,
    );

    const rows = await summary({ date_from: from, date_to: to });

    expect(rows.map(({ metric_name, success_count }) => [metric_name, success_count])).toEqual([
      ["helpful", inside.length],
    ]);
    expect(await summary({ date_from: to, date_to: from })).toEqual([]);
    expect(await summary({ date_to: "2001-01-01" })).toEqual([]);
    expect(await summary({ date_from: "9999-12-31T23:59:59" })).toEqual([]);
    expect(await summary({ date_from: "0001-01-01", date_to: "0001-01-02" })).toEqual([]);
  });

  test("includes one project only", async () => {
    expect(await newProject(service).answer(getTraceScoreSummary)).toEqual([]);
  });

  test("reflects updates and deletions", async () => {
    const otherProject = newProject(service);
    const [first, second, third] = await scoreTrace(otherProject, [
      { name: "a", value: "0.5" },
      { name: "a", value: "0.7" },
      { name: "b", value: "1" },
    ]);
    const params = (score: typeof first) => ({ score_id: score?.id ?? "" });

    await otherProject.answer(updateTraceScore, { params: params(first), body: { value: "2" } });
    await otherProject.answer(deleteTraceScore, { params: params(second) });
    await otherProject.answer(deleteTraceScore, { params: params(third) });

    const rows = await settledValue(
      () => otherProject.answer(getTraceScoreSummary),
      ([only, ...otherRows]) => otherRows.length === 0 && only?.success_count === 1 && only.avg_score === 2,
    );
    expect(rows).toMatchObject([
      { metric_name: "a", avg_score: 2, median_score: 2, success_count: 1, latest_score_at: first?.created_at },
    ]);
  });

  test.each(["hour", "day", "week"] as const)("agrees with the trend by %s", async (granularity) => {
    const query = { metric_name: "helpful", granularity };
    const readTrend = () => project.answer(getTraceScoreTrend, { query });

    const trend = await settledValue(readTrend, (buckets) => buckets.reduce((sum, { count }) => sum + count, 0) === 5);

    const helpfulScores = sentScores.filter(({ name }) => name === "helpful");
    const buckets = Map.groupBy(helpfulScores, ({ created_at }) => bucketOf(hourOf(created_at), granularity));
    expect(trend.map(({ bucket, metric_name, count }) => [bucket, metric_name, count])).toEqual(
      [...buckets].map(([bucket, scores]) => [withMicroseconds(bucket), "helpful", scores.length]),
    );
    expect(trend.reduce((sum, { avg_score, count }) => sum + avg_score * count, 0)).toBeCloseTo(3.2, 10);
  });

  test("agrees with the distribution", async () => {
    const readDistribution = (query: Sent) => project.answer(getTraceScoreDistribution, { query });
    const distribution = await settledValue(
      () => readDistribution({ metric_name: "helpful" }),
      (buckets) => buckets.reduce((sum, { count }) => sum + count, 0) === 5,
    );

    expect(distribution).toEqual([
      { bucket: 2, bucket_min: 0.1, bucket_max: 0.2, count: 1 },
      { bucket: 3, bucket_min: 0.2, bucket_max: 0.3, count: 1 },
      { bucket: 10, bucket_min: 0.9, bucket_max: 1, count: 3 },
    ]);
    expect(await readDistribution({ metric_name: "helpful", buckets: "1" })).toEqual([
      { bucket: 1, bucket_min: 0, bucket_max: 1, count: 5 },
    ]);
    expect(await readDistribution({ metric_name: "tone" })).toEqual([]);
    expect(await readDistribution({ metric_name: "unknown" })).toEqual([]);
  });
});

describe("the analytics of session scores", () => {
  const project = newProject(service);
  const sessions = ["a", "b", "c"].map((name) => `${name}-${randomUUID()}`);
  const [a = "", b = "", c = ""] = sessions;

  const score = (session_id: string, value: string, name = "reliable", fields: Sent = {}) =>
    project.answer(createSessionScore, { body: { session_id, name, value, ...fields } });

  let newestOfB: Awaited<ReturnType<typeof score>> | undefined;
  beforeAll(async () => {
    for (const session_id of sessions) await project.answer(createTrace, { body: someTrace({ session_id }) });
    await score(a, "0.9");
    await score(a, "0.25");
    await score(b, "0.75");
    newestOfB = await score(b, "0.25");
    await score(c, "0.5");
    await score(c, "yes", "reliable", { data_type: "CATEGORICAL" });
    await score(c, "1", "consistent");
  });

  const compared = (query: Sent = {}, client: Client = project) =>
    client.answer(compareSessionScores, { query: { metric_name: "reliable", ...query } });

  test("have a summary, a trend and a distribution", async () => {
    const summary = await settledValue(
      () => project.answer(getSessionScoreSummary),
      (rows) => rows.length === 2 && rows.every(({ success_count }) => success_count === 6 || success_count === 1),
    );
    const query = { metric_name: "reliable" };

    expect(summary).toMatchObject([
      { metric_name: "consistent", avg_score: 1, success_count: 1 },
      {
        metric_name: "reliable",
        avg_score: 0.53,
        min_score: 0.25,
        max_score: 0.9,
        median_score: 0.5,
        success_count: 6,
      },
    ]);
    const trend = await project.answer(getSessionScoreTrend, { query: { ...query, granularity: "week" } });
    expect(trend.reduce((sum, { count }) => sum + count, 0)).toBe(5);
    expect(await project.answer(getSessionScoreDistribution, { query: { ...query, buckets: "2" } })).toEqual([
      { bucket: 1, bucket_min: 0, bucket_max: 0.5, count: 2 },
      { bucket: 2, bucket_min: 0.5, bucket_max: 1, count: 3 },
    ]);
  });

  test("compare sessions by their newest numeric score, then by id", async () => {
    const { items, total } = await settledValue(
      () => compared(),
      (page) => page.total === 3 && page.items.every(({ score }) => (score ?? 1) < 0.6),
    );

    expect(items).toEqual([
      { session_id: a, score: 0.25, evaluated_at: expect.any(String) as string, eval_run_id: null, stale: false },
      { session_id: b, score: 0.25, evaluated_at: newestOfB?.created_at, eval_run_id: null, stale: false },
      { session_id: c, score: 0.5, evaluated_at: expect.any(String) as string, eval_run_id: null, stale: false },
    ]);
    expect(total).toBe(3);
    const down = await compared({ sort_order: "desc", limit: "2", offset: "1" });
    expect(down).toMatchObject({ items: [{ session_id: b }, { session_id: a }], total: 3, limit: 2, offset: 1 });
    expect(await compared({ metric_name: "unknown" })).toEqual({
      items: [],
      total: 0,
      limit: 20,
      offset: 0,
      next_cursor: null,
    });
    expect((await compared({}, newProject(service))).total).toBe(0);
  });

  test("list the history of a session, oldest first, limited to the newest scores", async () => {
    const history = (query: Sent, session_id = c) =>
      project.answer(getSessionScoreHistory, { params: { session_id }, query });
    const points = async (...args: Parameters<typeof history>) =>
      (await history(...args)).map(({ metric_name, score }) => [metric_name, score]);

    expect(await history({}, b)).toMatchObject([
      { metric_name: "reliable", score: 0.75, status: "SUCCESS", eval_run_id: null },
      { metric_name: "reliable", score: 0.25, created_at: newestOfB?.created_at },
    ]);
    expect(await points({})).toEqual([
      ["reliable", 0.5],
      ["consistent", 1],
    ]);
    expect(await points({ metric_name: "reliable" })).toEqual([["reliable", 0.5]]);
    expect(await points({ limit: "1" })).toEqual([["consistent", 1]]);
    expect(await points({}, randomUUID())).toEqual([]);
  });

  test("fall back to the previous score when the newest is deleted", async () => {
    const otherProject = newProject(service);
    const session_id = randomUUID();
    await otherProject.answer(createTrace, { body: someTrace({ session_id }) });
    const send = (value: string) =>
      otherProject.answer(createSessionScore, { body: { session_id, name: "reliable", value } });
    const [, second] = [await send("0.5"), await send("0.75")];

    await otherProject.answer(deleteSessionScore, { params: { score_id: second.id } });

    const { items } = await settledValue(
      () => compared({}, otherProject),
      (page) => page.items[0]?.score === 0.5,
    );
    expect(items).toMatchObject([{ session_id, score: 0.5 }]);
  });
});

test("analytics with a missing or invalid parameter are refused", async () => {
  const project = newProject(service);

  expect(problems(await project.call(getTraceScoreSummary, { query: "date_from=x&date_to=1" }))).toEqual([
    "query.date_from",
    "query.date_to",
  ]);
  expect(problems(await project.call(getTraceScoreTrend, { query: "granularity=month" })).toSorted()).toEqual([
    "query.granularity",
    "query.metric_name",
  ]);
  expect(
    problems(await project.call(getSessionScoreDistribution, { query: "metric_name=a&metric_name=b&buckets=101" })),
  ).toEqual(["query.metric_name", "query.buckets"]);
  expect(
    problems(await project.call(compareSessionScores, { query: "metric_name=a&limit=101&sort_order=up" })).toSorted(),
  ).toEqual(["query.limit", "query.sort_order"]);
});

test("analytics and lists can be filtered by the version or the id of a judge", async () => {
  const project = newProject(service);
  const session_id = `judged-${randomUUID()}`;
  const { trace_id } = await project.answer(createTrace, { body: someTrace({ session_id }) });
  const name = "step_efficiency";
  await project.answer(createTraceScore, { body: { trace_id, name, value: "0.125" } });
  const session = "agent_reliability";
  await project.answer(createSessionScore, { body: { session_id, name: session, value: "0.125" } });
  const runs = [
    await project.answer(createTraceRun, { body: { metrics: [name] } }),
    await project.answer(createSessionRun, { body: { metrics: [session] } }),
  ];
  for (const run of runs) await endedRun(project, run);
  const judgeOf = async (
    route: typeof listTraceScores | typeof listSessionScores,
    metricName: string,
  ): Promise<{ id: string; version: string }> =>
    await eventually(async () => {
      const { items } = await project.answer(route, { query: { name: metricName } });
      return items.find(({ judge }) => judge !== null)?.judge ?? undefined;
    });
  const [ofTrace, ofSession] = [await judgeOf(listTraceScores, name), await judgeOf(listSessionScores, session)];
  const nobody = "0123456789ab";
  /** Number of scores in each kind of analytics for a judge. */
  const counts = async (judge: string, target: "trace" | "session"): Promise<readonly number[]> => {
    const metric_name = target === "trace" ? name : session;
    const [summary, trend, distribution] =
      target === "trace"
        ? ([getTraceScoreSummary, getTraceScoreTrend, getTraceScoreDistribution] as const)
        : ([getSessionScoreSummary, getSessionScoreTrend, getSessionScoreDistribution] as const);
    const sum = (buckets: readonly { readonly count: number }[]): number =>
      buckets.reduce((total, { count }) => total + count, 0);
    const summed = await project.answer(summary, { query: { judge } });
    return [
      summed.find((each) => each.metric_name === metric_name)?.success_count ?? 0,
      sum(await project.answer(trend, { query: { metric_name, judge } })),
      sum(await project.answer(distribution, { query: { metric_name, judge } })),
      ...(target === "trace"
        ? []
        : [
            (await project.answer(compareSessionScores, { query: { metric_name, judge } })).total,
            (await project.answer(getSessionScoreHistory, { params: { session_id }, query: { metric_name, judge } }))
              .length,
          ]),
    ];
  };

  for (const judge of [ofTrace.version, ofTrace.id]) expect(await counts(judge, "trace")).toEqual([1, 1, 1]);
  for (const judge of [ofSession.version, ofSession.id])
    expect(await counts(judge, "session")).toEqual([1, 1, 1, 1, 1]);
  for (const judge of [nobody, `offline/other#${ofTrace.version}`])
    expect(await counts(judge, "trace")).toEqual([0, 0, 0]);
  for (const judge of [nobody, `offline/other#${ofSession.version}`])
    expect(await counts(judge, "session")).toEqual([0, 0, 0, 0, 0]);
  const totalOf = async (judge: string) => (await project.page(listTraceScores, { query: { judge } })).items.length;
  expect([await totalOf(ofTrace.id), await totalOf(`offline/other#${ofTrace.version}`)]).toEqual([1, 0]);
  expect(await project.answer(getTraceScoreDistribution, { query: { metric_name: name } })).toHaveLength(2);
  const wrong = await project.call(getTraceScoreTrend, { query: { metric_name: name, judge: "x" } });
  expect([wrong.status, problems(wrong)]).toEqual([422, ["query.judge"]]);
});

test("lists and analytics can be filtered by the version of a metric", async () => {
  const project = newProject(service);
  const session_id = `versions-${randomUUID()}`;
  await project.answer(createTrace, { body: someTrace({ session_id }) });
  const name = "short";
  const check = (maxLength: number) => ({ check: { type: "length", of: "output", max: maxLength } });
  await project.answer(createCustomMetric, {
    body: { name, kind: "check", description: "Evaluates whether the answer is short.", ...check(1) },
  });
  await project.answer(updateCustomMetric, { params: { metric_name: name }, body: check(100_000) });
  const metrics = [`${name}@1`, `${name}@2`, "tool_correctness"];
  await endedRun(project, await project.answer(createTraceRun, { body: { metrics } }));
  for (const [value, metric_version] of [
    ["0", 1],
    ["1", 2],
    ["1", 2],
  ] as const)
    await project.answer(createSessionScore, { body: { session_id, name, value, metadata: { metric_version } } });

  const readVersion = async (version: string) => {
    const query = { metric_name: name, metric_version: version };
    const listQuery = { name, metric_version: version };
    const trends = [getTraceScoreTrend, getSessionScoreTrend] as const;
    const summaries = [getTraceScoreSummary, getSessionScoreSummary] as const;
    const spreads = [getTraceScoreDistribution, getSessionScoreDistribution] as const;
    return {
      lists: [
        (await project.answer(listTraceScores, { query: listQuery })).items.map(({ value }) => Number(value)),
        (await project.answer(listSessionScores, { query: listQuery })).items.map(({ value }) => Number(value)),
      ],
      trend: await Promise.all(
        trends.map(async (route) =>
          (await project.answer(route, { query })).map(({ avg_score, count }) => [avg_score, count]),
        ),
      ),
      summary: await Promise.all(
        summaries.map(async (route) =>
          (await project.answer(route, { query })).map((each) => [each.metric_name, each.avg_score]),
        ),
      ),
      distribution: await Promise.all(
        spreads.map(async (route) => (await project.answer(route, { query })).map(({ count }) => count)),
      ),
      compared: (await project.answer(compareSessionScores, { query })).items.map(({ score }) => score),
      history: (await project.answer(getSessionScoreHistory, { params: { session_id }, query })).map(
        ({ score }) => score,
      ),
    };
  };

  expect(await readVersion("1")).toEqual({
    lists: [[0], [0]],
    trend: [[[0, 1]], [[0, 1]]],
    summary: [[[name, 0]], [[name, 0]]],
    distribution: [[1], [1]],
    compared: [0],
    history: [0],
  });
  expect(await readVersion("2")).toEqual({
    lists: [[1], [1, 1]],
    trend: [[[1, 1]], [[1, 2]]],
    summary: [[[name, 1]], [[name, 1]]],
    distribution: [[1], [2]],
    compared: [1],
    history: [1, 1],
  });
  expect((await readVersion("3")).trend).toEqual([[], []]);
  const summaryOfName = await settledValue(
    () => project.answer(getTraceScoreSummary, { query: { metric_name: name } }),
    ([only]) => only?.success_count === 2,
  );
  expect(summaryOfName.map(({ metric_name }) => metric_name)).toEqual([name]);
});

test("a metric version without a metric name is refused", async () => {
  const project = newProject(service);
  const version = { metric_version: "1" };
  const refusals = [
    await project.call(listTraceScores, { query: version }),
    await project.call(listSessionScores, { query: version }),
    await project.call(getTraceScoreSummary, { query: version }),
    await project.call(getSessionScoreHistory, { params: { session_id: "a" }, query: version }),
    await project.call(getTraceScoreTrend, { query: { metric_name: "a", metric_version: "0" } }),
  ];

  expect(refusals.map((reply) => [reply.status, problems(reply)])).toEqual([
    [422, ["query.name"]],
    [422, ["query.name"]],
    [422, ["query.metric_name"]],
    [422, ["query.metric_name"]],
    [422, ["query.metric_version"]],
  ]);
});
