import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));

const span = (started_at: string, model: string | null, prompt: number, completion: number, cost: number) => ({
  name: "call",
  started_at,
  model,
  token_usage: { prompt_tokens: prompt, completion_tokens: completion },
  cost: { total: cost },
});

/** Traces of three days, the second of which is a Sunday. */
const traces = [
  {
    name: "saturday",
    started_at: "2026-02-28T10:00:00Z",
    ended_at: "2026-02-28T10:00:02Z",
    spans: [span("2026-02-28T10:00:00Z", "alpha", 100, 20, 0.1), span("2026-02-28T10:00:01Z", "beta", 1, 2, 0.2)],
  },
  {
    name: "saturday, late",
    started_at: "2026-02-28T23:59:59.5Z",
    ended_at: "2026-03-01T00:00:02.500000Z",
    status: "ERROR",
    spans: [span("2026-03-01T00:00:01Z", "alpha", 10, 5, 0.3), span("2026-03-01T00:00:02Z", null, 7, 0, 0)],
  },
  { name: "sunday", started_at: "2026-03-01T10:00:00Z", status: "RUNNING" },
  { name: "monday", started_at: "2026-03-02T00:00:00Z", ended_at: "2026-03-02T00:00:00.125Z" },
];

const wholeRange = { started_after: "2026-02-01", started_before: "2026-04-01" };

describe("the analytics of traces", () => {
  const ask = (query: Readonly<Record<string, string>>) => project.answer(getTraceAnalytics, { query });

  beforeAll(async () => {
    for (const body of traces) await project.answer(createTrace, { body });
    await eventually(async () => {
      const [days, models] = [await ask(wholeRange), await ask({ ...wholeRange, metric: "models" })];
      return days.length === 3 && models.length === 2 ? true : undefined;
    });
  });

  const none = {
    avg_latency_ms: null,
    p50_latency_ms: null,
    p90_latency_ms: null,
    p95_latency_ms: null,
    p99_latency_ms: null,
  };
  const constantLatency = (latency: number) => ({
    avg_latency_ms: latency,
    p50_latency_ms: latency,
    p90_latency_ms: latency,
    p95_latency_ms: latency,
    p99_latency_ms: latency,
  });
  const both = {
    avg_latency_ms: 2500,
    p50_latency_ms: 2500,
    p90_latency_ms: 2900,
    p95_latency_ms: 2950,
    p99_latency_ms: 2990,
  };
  const [saturday, sunday, monday] = ["2026-02-28", "2026-03-01", "2026-03-02"].map(
    (day) => `${day}T00:00:00.000000+00:00`,
  );

  test.each(["volume", "errors", "latency"])("are the same for %s: counts and latencies by day", async (metric) => {
    expect(await ask({ ...wholeRange, metric })).toEqual([
      { bucket: saturday, trace_count: 2, error_count: 1, ...both },
      { bucket: sunday, trace_count: 1, error_count: 0, ...none },
      { bucket: monday, trace_count: 1, error_count: 0, ...constantLatency(125) },
    ]);
  });

  test("have volume by day by default", async () => {
    expect(await ask(wholeRange)).toEqual(await ask({ ...wholeRange, metric: "volume", granularity: "day" }));
  });

  test("by hour omit hours in which no trace started", async () => {
    expect(await ask({ ...wholeRange, granularity: "hour" })).toEqual([
      { bucket: "2026-02-28T10:00:00.000000+00:00", trace_count: 1, error_count: 0, ...constantLatency(2000) },
      { bucket: "2026-02-28T23:00:00.000000+00:00", trace_count: 1, error_count: 1, ...constantLatency(3000) },
      { bucket: "2026-03-01T10:00:00.000000+00:00", trace_count: 1, error_count: 0, ...none },
      { bucket: "2026-03-02T00:00:00.000000+00:00", trace_count: 1, error_count: 0, ...constantLatency(125) },
    ]);
  });

  test("by week begin on Monday", async () => {
    expect(await ask({ ...wholeRange, granularity: "week" })).toEqual([
      { bucket: "2026-02-23T00:00:00.000000+00:00", trace_count: 3, error_count: 1, ...both },
      { bucket: monday, trace_count: 1, error_count: 0, ...constantLatency(125) },
    ]);
  });

  test("have one bucket of the whole range, named by its start", async () => {
    const bucket = "2026-02-01T00:00:00.000000+00:00";
    const total = { total_tokens: 145, prompt_tokens: 118, completion_tokens: 27, total_cost: 0.6 };

    expect(await ask({ ...wholeRange, granularity: "all" })).toEqual([
      expect.objectContaining({ bucket, trace_count: 4, error_count: 1, p50_latency_ms: 2000, p95_latency_ms: 2900 }),
    ]);
    expect(await ask({ ...wholeRange, metric: "cost", granularity: "all" })).toEqual([{ bucket, ...total }]);
    expect(await ask({ ...wholeRange, started_after: "2026-03-03", granularity: "all" })).toEqual([]);
  });

  test.each(["cost", "tokens"])("are the same for %s: usage of spans, by the start of each span", async (metric) => {
    expect(await ask({ ...wholeRange, metric })).toEqual([
      { bucket: saturday, total_tokens: 123, prompt_tokens: 101, completion_tokens: 22, total_cost: 0.3 },
      { bucket: sunday, total_tokens: 22, prompt_tokens: 17, completion_tokens: 5, total_cost: 0.3 },
    ]);
  });

  test("have usage by hour and by week", async () => {
    const usage = { total_tokens: 123, prompt_tokens: 101, completion_tokens: 22, total_cost: 0.3 };

    expect(await ask({ ...wholeRange, metric: "tokens", granularity: "hour" })).toEqual([
      { bucket: "2026-02-28T10:00:00.000000+00:00", ...usage },
      { bucket: sunday, total_tokens: 22, prompt_tokens: 17, completion_tokens: 5, total_cost: 0.3 },
    ]);
    expect(await ask({ ...wholeRange, metric: "cost", granularity: "week" })).toEqual([
      {
        bucket: "2026-02-23T00:00:00.000000+00:00",
        total_tokens: 145,
        prompt_tokens: 118,
        completion_tokens: 27,
        total_cost: 0.6,
      },
    ]);
  });

  test("group usage by model", async () => {
    expect(await ask({ ...wholeRange, metric: "models", granularity: "week" })).toEqual([
      { model: "alpha", call_count: 2, total_tokens: 135, total_cost: 0.4 },
      { model: "beta", call_count: 1, total_tokens: 3, total_cost: 0.2 },
    ]);
  });

  test("include the start of the range and exclude its end", async () => {
    const from = { started_after: "2026-02-28T10:00:00Z", started_before: "2026-02-28T23:59:59.5Z" };

    expect(await ask({ ...from, granularity: "hour" })).toMatchObject([{ trace_count: 1, avg_latency_ms: 2000 }]);
    expect(await ask({ started_after: from.started_before, started_before: "2026-03-01T00:00:00Z" })).toMatchObject([
      { trace_count: 1, avg_latency_ms: 3000 },
    ]);
  });

  test("count two spans of one trace separately when the range ends between them", async () => {
    const cut = { started_after: "2026-02-28T10:00:00.5Z", started_before: "2026-03-01T00:00:02Z" };

    expect(await ask({ ...cut, metric: "models" })).toEqual([
      { model: "alpha", call_count: 1, total_tokens: 15, total_cost: 0.3 },
      { model: "beta", call_count: 1, total_tokens: 3, total_cost: 0.2 },
    ]);
  });

  test.each([
    { started_after: "2030-01-01", started_before: "2031-01-01" },
    { started_after: "2026-03-01", started_before: "2026-03-01" },
    { started_after: "2026-04-01", started_before: "2026-02-01" },
    { started_after: "0001-01-01", started_before: "0001-01-02" },
    { started_after: "9999-12-31T23:30", started_before: "9999-12-31T23:59:59.999999" },
  ])("are empty from $started_after to $started_before", async (range) => {
    for (const metric of ["volume", "tokens", "models"]) expect(await ask({ ...range, metric })).toEqual([]);
  });

  test("accept a range of all times", async () => {
    const range = { started_after: "0001-01-01", started_before: "9999-12-31T23:59:59.999999" };

    expect(await ask({ ...range, granularity: "week" })).toHaveLength(2);
    expect(await ask({ ...range, metric: "models" })).toHaveLength(2);
  });

  test.each([
    [{ started_after: "2026-02-30", started_before: "yesterday" }, ["query.started_after", "query.started_before"]],
    [{ ...wholeRange, metric: "VOLUME" }, ["query.metric"]],
    [{ ...wholeRange, granularity: "month" }, ["query.granularity"]],
    [{ ...wholeRange, metric: ["cost", "cost"] }, ["query.metric"]],
    [{ ...wholeRange, metric: "", granularity: "" }, ["query.metric", "query.granularity"]],
  ])("refuse %j", async (query, places) => {
    const reply = await project.call(getTraceAnalytics, { query });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(places);
  });

  test("reflect a trace that is sent again and moves to another day", async () => {
    const otherProject = newProject(inject("service"));
    const trace_id = randomUUID();
    const days = async () =>
      (await otherProject.answer(getTraceAnalytics, { query: wholeRange })).map((day) => Object.values(day)[0]);
    await otherProject.answer(createTrace, { body: { trace_id, name: "x", started_at: "2026-03-05T10:00:00Z" } });
    await eventually(async () => ((await days()).length === 1 ? true : undefined));

    await otherProject.answer(createTrace, { body: { trace_id, name: "x", started_at: "2026-03-07T10:00:00Z" } });

    const moved = await eventually(async () => {
      const now = await days();
      return now.includes("2026-03-07T00:00:00.000000+00:00") && now.length === 1 ? now : undefined;
    });
    expect(moved).toEqual(["2026-03-07T00:00:00.000000+00:00"]);
  });
});
