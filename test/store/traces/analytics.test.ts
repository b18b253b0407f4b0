import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bucketOf, granularities, type Granularity } from "../../../lib/domain/analytics/bucket.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { usageBuckets } from "../../../lib/domain/analytics/trace-analytics.ts";
import { analyticsUsage } from "../../../lib/store/hours/usage.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { analyticsWorld, type AnalyticsWorld } from "./analytics-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const at = (time: string, day = "2026-10-01"): string => `${day}T${time}+00:00`;
const theDay = [at("00:00:00"), at("00:00:00", "2026-10-02")] as const;

const spanOf = (started_at: string, model: string | null, prompt: number, cost = 0.25) => ({
  span_id: randomUUID(),
  name: "call",
  started_at,
  model,
  token_usage: { prompt_tokens: prompt, completion_tokens: 1 },
  cost: { total: cost },
});

const traceOf = (started_at: string, fields: Partial<IdentifiedTrace> = {}): IdentifiedTrace => ({
  trace_id: randomUUID(),
  name: "agent",
  started_at,
  ...fields,
});

test("traces are counted in the hour of their start, latencies only of ended traces", async () => {
  const world = analyticsWorld(database);
  await world.save(
    traceOf(at("10:00:00"), { ended_at: at("10:00:02") }),
    traceOf(at("10:59:59.999999"), { ended_at: at("11:00:02.999999"), status: "ERROR" }),
    traceOf(at("11:00:00"), { status: "RUNNING" }),
    traceOf(at("23:00:00"), { ended_at: at("22:00:00") }),
  );

  await world.settle();

  const none = {
    avg_latency_ms: null,
    p50_latency_ms: null,
    p90_latency_ms: null,
    p95_latency_ms: null,
    p99_latency_ms: null,
  };
  const latencies = {
    avg_latency_ms: 2500,
    p50_latency_ms: 2500,
    p90_latency_ms: 2900,
    p95_latency_ms: 2950,
    p99_latency_ms: 2990,
  };
  expect(await world.figures(...theDay)).toEqual([
    { bucket: at("10:00:00"), trace_count: 2, error_count: 1, ...latencies },
    { bucket: at("11:00:00"), trace_count: 1, error_count: 0, ...none },
    { bucket: at("23:00:00"), trace_count: 1, error_count: 0, ...none },
  ]);
  expect(await world.figures(...theDay, "day")).toEqual([
    { bucket: at("00:00:00"), trace_count: 4, error_count: 1, ...latencies },
  ]);
});

test("tokens and costs are counted in the hour of their span's start, whatever the trace's start", async () => {
  const world = analyticsWorld(database);
  const spans = [
    spanOf(at("10:00:00"), "a", 10, 0.1),
    spanOf(at("11:30:00"), "b", 20, 0.2),
    spanOf(at("11:45:00"), null, 30),
  ];
  await world.save(
    traceOf(at("09:00:00"), { spans }),
    traceOf(at("12:00:00"), { spans: [spanOf(at("11:00:00"), "a", 5)] }),
  );

  await world.settle();

  expect(await world.usage(...theDay)).toEqual([
    { bucket: at("10:00:00"), total_tokens: 11, prompt_tokens: 10, completion_tokens: 1, total_cost: 0.1 },
    { bucket: at("11:00:00"), total_tokens: 58, prompt_tokens: 55, completion_tokens: 3, total_cost: 0.7 },
  ]);
  expect(await world.models(...theDay)).toEqual([
    { model: "a", call_count: 2, total_tokens: 17, total_cost: 0.35 },
    { model: "b", call_count: 1, total_tokens: 21, total_cost: 0.2 },
  ]);
});

test("a range that cuts an hour reads only the documents of traces with spans on both sides", async () => {
  const watched = watchedDatabase(database);
  const world = analyticsWorld(database);
  const straddling = traceOf(at("10:00:00"), {
    spans: [spanOf(at("10:20:00"), "a", 4), spanOf(at("10:40:00"), "a", 8)],
  });
  await world.save(
    traceOf(at("10:00:00"), { spans: [spanOf(at("10:10:00"), "a", 1), spanOf(at("10:20:00"), "a", 2)] }),
    straddling,
    traceOf(at("09:00:00"), { spans: [spanOf(at("10:45:00"), "a", 16), spanOf(at("12:00:00"), "a", 32)] }),
  );
  await world.settle();

  const cutHour = await world.usage(at("10:30:00"), at("11:00:00"));
  await usageBuckets(analyticsUsage(watched)(world.project, at("10:30:00"), at("11:00:00")), "hour");

  expect(cutHour).toMatchObject([{ bucket: at("10:00:00"), prompt_tokens: 24, completion_tokens: 2 }]);
  expect(
    watched.calls
      .filter(({ input }) => input["TableName"] === "bodies")
      .map(({ input }) => input["ExpressionAttributeValues"]),
  ).toMatchObject([{ ":pk": { S: `${world.project}#${straddling.trace_id}` } }]);
});

test("the ten models with the most calls are listed, equal ones sorted by name", async () => {
  const world = analyticsWorld(database);
  const spans = Array.from({ length: 12 }, (_, index) =>
    spanOf(at("10:00:00"), `m${String(index).padStart(2, "0")}`, 1),
  );
  await world.save(traceOf(at("10:00:00"), { spans: [...spans, spanOf(at("10:00:00"), "m11", 1)] }));

  await world.settle();

  expect((await world.models(...theDay)).map(({ model }) => model)).toEqual([
    "m11",
    ...Array.from({ length: 9 }, (_, index) => `m0${index}`),
  ]);
});

test("a trace that changes, moves or is deleted is counted in its present state", async () => {
  const world = analyticsWorld(database);
  const moving = traceOf(at("10:00:00"), { spans: [spanOf(at("11:00:00"), "a", 1)] });
  const deleted = traceOf(at("10:00:00"), { spans: [spanOf(at("10:00:00"), "b", 2)] });
  await world.save(moving, deleted);
  await world.settle();

  await world.save({ ...moving, started_at: at("08:00:00"), spans: [spanOf(at("07:00:00"), "c", 4)] });
  await world.remove(deleted.trace_id);
  await world.settle();

  expect(await world.figures(...theDay)).toMatchObject([{ bucket: at("08:00:00"), trace_count: 1 }]);
  expect(await world.models(...theDay)).toMatchObject([
    { model: "a", call_count: 1 },
    { model: "c", call_count: 1 },
  ]);
  expect(await world.total()).toBe(1);
});

test("spans in more hours than a rollup has items for are all counted", async () => {
  const world = analyticsWorld(database);
  const hours = Array.from({ length: 120 }, (_, index) => new Date(Date.UTC(2026, 9, 1, index, 30)).toISOString());
  const spans = hours.map((start, index) => spanOf(`${start.slice(0, 19)}+00:00`, "a", index + 1));
  const long = traceOf(at("00:00:00"), { spans });
  await world.save(long);
  await world.settle();

  const [start, end] = [at("10:00:00", "2026-10-05"), at("10:45:00", "2026-10-05")];

  expect(await world.models(at("00:00:00"), at("00:00:00", "2026-11-01"))).toMatchObject([{ call_count: 120 }]);
  expect(await world.usage(start, end)).toMatchObject([{ bucket: start, prompt_tokens: 107 }]);
  expect(await world.usage(at("10:15:00"), end)).toHaveLength(97);

  await world.remove(long.trace_id);
  await world.settle();
  expect(await world.models(at("00:00:00"), at("00:00:00", "2026-11-01"))).toEqual([]);
});

test("a trace whose sums do not fit its row is counted from its document", async () => {
  const world = analyticsWorld(database);
  const spans = Array.from({ length: 300 }, (_, index) =>
    spanOf(at(index % 2 === 0 ? "10:00:00" : "10:45:00"), `${"\u{1f600}".repeat(100)}${index}`, 1),
  );
  await world.save(traceOf(at("10:00:00"), { spans }));
  await world.settle();

  expect(await world.usage(...theDay)).toMatchObject([{ bucket: at("10:00:00"), prompt_tokens: 300 }]);
  expect(await world.usage(at("10:30:00"), at("11:00:00"))).toMatchObject([{ prompt_tokens: 150 }]);
});

test("an empty range and a reversed range have no figures", async () => {
  const world = analyticsWorld(database);
  await world.save(traceOf(at("10:00:00"), { spans: [spanOf(at("10:00:00"), "a", 1)] }));
  await world.settle();

  expect(await world.figures(at("10:00:00"), at("10:00:00"))).toEqual([]);
  expect(await world.usage(at("11:00:00"), at("10:00:00"))).toEqual([]);
  expect(await world.models(at("10:00:00.000001"), at("12:00:00"))).toEqual([]);
});

test("traces of another project are not counted", async () => {
  const [project, otherProject] = [analyticsWorld(database), analyticsWorld(database)];
  await otherProject.save(traceOf(at("10:00:00"), { spans: [spanOf(at("10:00:00"), "a", 1)] }));
  await otherProject.settle();

  expect(await project.figures(...theDay)).toEqual([]);
  expect(await project.models(...theDay)).toEqual([]);
});

/** Instant of a quarter of an hour relative to midnight of October 5, 2026. */
const quarterAt = (quarter: number): string =>
  new Date(Date.UTC(2026, 9, 5) + quarter * 900_000).toISOString().replace(".000Z", "+00:00");

const quarters = fc.integer({ min: -16, max: 16 });
const generatedTrace = fc.record({
  started: quarters,
  seconds: fc.option(fc.nat(100), { nil: null }),
  error: fc.boolean(),
  spans: fc.array(fc.record({ started: quarters, model: fc.constantFrom("a", "b", null), prompt: fc.nat(9) }), {
    maxLength: 4,
  }),
});
type GeneratedTrace = ReturnType<typeof generatedTrace.generate>["value"];

const toTrace = (id: string, { started, seconds, error, spans }: GeneratedTrace): IdentifiedTrace =>
  traceOf(quarterAt(started), {
    trace_id: id,
    status: error ? "ERROR" : "COMPLETED",
    ...(seconds === null
      ? {}
      : { ended_at: `${new Date(Date.parse(quarterAt(started)) + seconds * 1000).toISOString().slice(0, 19)}+00:00` }),
    spans: spans.map(({ started, model, prompt }) => spanOf(quarterAt(started), model, prompt)),
  });

const isWithin = (started: number, [from, to]: readonly [number, number]): boolean => started >= from && started < to;

/** Groups items by the bucket of their start, sorted by bucket. */
const groupByBucket = <Item extends { readonly started: number }>(items: readonly Item[], granularity: Granularity) =>
  [...Map.groupBy(items, ({ started }) => bucketOf(quarterAt(started).slice(0, 13), granularity))].toSorted(
    ([a], [b]) => (a < b ? -1 : 1),
  );

const expectAgreement = async (
  world: AnalyticsWorld,
  traces: readonly GeneratedTrace[],
  range: readonly [number, number],
  granularity: Granularity,
): Promise<void> => {
  const [from, to] = [quarterAt(range[0]), quarterAt(range[1])];
  const started = traces.filter((trace) => isWithin(trace.started, range));
  const spans = traces.flatMap((trace) => trace.spans).filter((span) => isWithin(span.started, range));

  expect(await world.figures(from, to, granularity)).toEqual(
    groupByBucket(started, granularity).map(([bucket, group]) =>
      expect.objectContaining({
        bucket,
        trace_count: group.length,
        error_count: group.filter(({ error }) => error).length,
        p50_latency_ms: group.some(({ seconds }) => seconds !== null) ? expect.any(Number) : null,
      }),
    ),
  );
  expect(await world.usage(from, to, granularity)).toEqual(
    groupByBucket(spans, granularity).map(([bucket, group]) =>
      expect.objectContaining({
        bucket,
        prompt_tokens: group.reduce((sum, { prompt }) => sum + prompt, 0),
        completion_tokens: group.length,
        total_cost: group.length / 4,
      }),
    ),
  );
};

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("save" as const), slot: fc.nat(5), trace: generatedTrace }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), slot: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("settle" as const), again: fc.boolean(), early: fc.boolean() }),
  },
);

test("the sums equal those of the traces after any changes, however the stream is cut and repeated", async () => {
  const ranges = fc.array(fc.tuple(quarters, quarters), { minLength: 3, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      ranges,
      fc.constantFrom(...granularities),
      async (steps, cutRanges, granularity) => {
        const world = analyticsWorld(database);
        const savedTraces = new Map<number, { readonly id: string; readonly trace: GeneratedTrace }>();
        for (const action of steps) {
          if (action.kind === "settle") {
            const records = await world.records();
            // Without a pause between two windows, the hour is not recomputed in the second one.
            if (!action.early) world.clock.now += 1_000;
            const cut = Math.ceil(records.length / 2);
            await world.follow(records.slice(0, cut), "shard-1");
            await world.follow(records.slice(cut), "shard-2");
            if (action.again) await world.follow(records.slice(0, cut), "shard-1");
            continue;
          }
          const before = savedTraces.get(action.slot);
          if (before !== undefined) await world.remove(before.id);
          savedTraces.delete(action.slot);
          if (action.kind === "remove") continue;
          const id = randomUUID();
          await world.save(toTrace(id, action.trace));
          savedTraces.set(action.slot, { id, trace: action.trace });
        }
        await world.follow(await world.records());
        const traces = [...savedTraces.values()].map(({ trace }) => trace);

        for (const range of cutRanges) await expectAgreement(world, traces, range, granularity);
        world.clock.now += 60_000;
        await world.sweep();
        expect(await world.sweep()).toEqual({ pending: 0, computed: 0, left: false });
        for (const range of cutRanges) await expectAgreement(world, traces, range, granularity);
        expect(await world.total()).toBe(traces.length);
      },
    ),
    { numRuns: 30 },
  );
});
