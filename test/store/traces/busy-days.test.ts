import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isThrottled } from "../../../lib/dynamo/failure.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { Position } from "../../../lib/domain/page.ts";
import { traceDeleted } from "../../../lib/domain/traces/deleted-trace.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import { hourChecker } from "../../../lib/maintenance/check-hour.ts";
import { sumRebuild } from "../../../lib/maintenance/rebuild-sums.ts";
import { eraseTraces } from "../../../lib/store/garbage/erase.ts";
import { orphanParts } from "../../../lib/store/garbage/orphan-parts.ts";
import { scanPage } from "../../../lib/store/deletion/table-scan.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreReader } from "../../../lib/store/scores/reader.ts";
import { staleTraces } from "../../../lib/store/scores/stale/staleness.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import {
  partitionIn,
  partitionsOfBusyDay,
  rowKeyLengths,
  rowPartition,
  withPartition,
} from "../../../lib/store/traces/keys.ts";
import { traceList, type TraceQuery } from "../../../lib/store/traces/lists/list.ts";
import type { PackedTrace } from "../../../lib/store/traces/packed-trace.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { rowsByDay } from "../../../lib/store/traces/repricing/rows.ts";
import { emptyRowCount, rowCounting, type RowCount } from "../../../lib/store/traces/row-count.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { storedRowReader } from "../../../lib/store/traces/stored-row.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { writeBusyDay } from "../../bench/scale/busy-writes.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, watchedDatabase } from "../../support/database/watched-database.ts";
import { seeded, type Random } from "../../support/random.ts";
import { someScore } from "../../support/scores.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { writeRows } from "../../support/traces/rows.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { analyticsWorld } from "./analytics-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const day = "2026-10-01";
const start = Date.UTC(2026, 9, 1);
const numbers = Array.from({ length: partitionsOfBusyDay }, (_, number) => number);

/** Rows of two days, many with equal starts, in the first partitions of their days. */
const someRows = (random: Random, count: number): readonly TraceRow[] =>
  Array.from({ length: count }, () => {
    const row = generateRow(random, start + random.below(48 * 60) * 60_000);
    return random.chance(0.5) ? row : { ...row, startedAt: `${row.startedAt.slice(0, 13)}:00:00+00:00` };
  });

/** The same rows spread over the partitions of busy days, as a writer does. */
const spread = (random: Random, rows: readonly TraceRow[]): readonly TraceRow[] =>
  rows.map((row) => {
    const partition = Math.ceil(random.below(2 * partitionsOfBusyDay - 1) / 2);
    return { ...row, incarnation: withPartition(row.incarnation, partition) };
  });

const filters = [
  {},
  {},
  { status: "ERROR" },
  { name: "agent" },
  { tags: ["eu"] },
  { date_from: `${day}T05:00Z`, date_to: "2026-10-02T07:00Z" },
] as const;

test("pages of a busy day are those of a quiet one: any filter, order, size and cursor, also if it becomes busy between two pages", async () => {
  const random = seeded(Number(process.env["SAMPLE_SEED"] ?? 7));
  const list = traceList(database);
  for (let round = 0; round < 4; round += 1) {
    const [quiet, busy] = [randomUUID(), randomUUID()];
    const before = someRows(random, random.pick([0, 3, 120]));
    await writeRows(database, quiet, before);
    // Some days become busy only after their first pages were read.
    await writeRows(database, busy, random.chance(0.5) ? before : spread(random, before));
    for (let queries = 0; queries < 12; queries += 1) {
      const query = {
        filter: traceFilter(random.pick(filters)),
        sortBy: random.pick(["started_at", "started_at", "latency", "name", "cost"]),
        order: random.pick(["asc", "desc"]),
        limit: random.pick([1, 7, 50]),
        offset: random.pick([0, 0, 5, 60]),
      } satisfies TraceQuery;
      const pageOf = async (project: string, after: TraceQuery["after"] = null) => {
        const { rows, total, last } = await list.list(project, { ...query, after });
        return { ids: rows.map(({ traceId }) => traceId), total, last };
      };
      let expected = await pageOf(quiet);
      expect({ query, ...(await pageOf(busy)) }).toEqual({ query, ...expected });
      if (queries === 5) {
        const added = someRows(random, 60);
        await writeRows(database, quiet, added);
        await writeRows(database, busy, spread(random, added));
      }
      for (let pages = 0; expected.last !== null && pages < 4; pages += 1) {
        const after = expected.last;
        expected = await pageOf(quiet, after);
        expect({ query, after, ...(await pageOf(busy, after)) }).toEqual({ query, after, ...expected });
      }
    }
  }
});

test("a default page of a busy day costs two read units more at most, and one of a quiet day what its rows weigh", async () => {
  const random = seeded(11);
  const [quiet, busy] = [randomUUID(), randomUUID()];
  const rows = Array.from({ length: 600 }, (_, index) => generateRow(random, start + index * 60_000));
  await writeRows(database, quiet, rows);
  await writeRows(database, busy, spread(random, rows));
  const watched = watchedDatabase(database);
  const take = countCapacity(watched);
  const costOf = async (project: string, after: Position | null) => {
    const query = { filter: traceFilter({}), sortBy: "started_at", order: "desc", limit: 50, offset: 0 } as const;
    const page = await traceList(watched).list(project, { ...query, after });
    return { units: take().read, last: page.last };
  };

  const extra: number[] = [];
  let after: Position | null = null;
  do {
    const ofQuiet: { readonly units: number; readonly last: Position | null } = await costOf(quiet, after);
    extra.push((await costOf(busy, after)).units - ofQuiet.units);
    after = ofQuiet.last;
  } while (after !== null);
  watched.calls.length = 0;
  await costOf(quiet, null);

  expect(Math.max(...extra)).toBeLessThanOrEqual(2);
  expect(watched.calls.filter(isOn("Query", "rows"))).toHaveLength(2);
});

const wireKey = v.object({ pk: v.object({ B: v.instance(Uint8Array) }) });

/** A database in which the first partition of a day refuses rows, and a store of traces there. */
const exhausted = () => {
  const first = { isFull: false };
  const watched = watchedDatabase(database, (call) => {
    const key = v.safeParse(wireKey, call.input["Item"]);
    const isRow = isOn("PutItem", "rows")(call) && key.success && key.output.pk.B.length === rowKeyLengths.pk;
    return first.isFull && isRow ? "throttle" : null;
  });
  return { first, watched, store: traceStore(watched, 0) };
};

/** Stores traces until each partition of a busy day has one. @returns one trace of each partition, by number. */
const tracesOfAll = async (project: string, store: ReturnType<typeof traceStore>) => {
  const byPartition = new Map<number, ReturnType<typeof someTrace>>();
  while (byPartition.size < numbers.length) {
    const trace = someTrace({ started_at: `${day}T10:00:00+00:00` });
    await store.save(project, trace);
    const located = await traceReader(database).locate(project, trace.trace_id);
    byPartition.set(partitionIn(located?.row.incarnation ?? ""), trace);
  }
  return numbers.flatMap((number) => byPartition.get(number) ?? []);
};

/** Makes a day busy, as a writer does whose row its partition refused. */
const busyProject = async () => {
  const [project, { first, watched, store }] = [randomUUID(), exhausted()];
  await store.save(project, someTrace({ started_at: `${day}T09:00:00+00:00` }));
  first.isFull = true;
  await expect(store.save(project, someTrace({ started_at: `${day}T09:00:00+00:00` }))).rejects.toSatisfy(isThrottled);
  first.isFull = false;
  return { project, watched, store, traces: await tracesOfAll(project, store) };
};

/** Number of rows and tombstones in all partitions of the days of the tests. */
const rowsLeft = async (project: string): Promise<number> => {
  const keys = ["2026-09-30", day].flatMap((each) => numbers.map((number) => rowPartition(project, each, number)));
  const pages = await Promise.all(keys.map((pk) => itemsOf(database, "rows").list({ pk })));
  return pages.flat().length;
};

test("a partition that refuses a row spreads the new rows of its day, for other processes too, and no other day's", async () => {
  const { project, store, traces } = await busyProject();
  await store.save(project, someTrace({ started_at: "2026-10-02T10:00:00+00:00" }));

  const days = await traceDays(database).list(project, true);
  const elsewhere = await tracesOfAll(project, traceStore(database, 0));

  expect(days.map((each) => [each.day, each.partitions.length])).toEqual([
    ["2026-10-02", 1],
    [day, partitionsOfBusyDay],
  ]);
  expect([traces.length, elsewhere.length]).toEqual([partitionsOfBusyDay, partitionsOfBusyDay]);
  expect(await traceDays(database).add(project, day)).toBe(true);
});

test("traces in every partition take late spans, move, are judged, found again after their deletion, and are erased", async () => {
  const { project, store, traces } = await busyProject();
  const reader = traceReader(database);
  for (const { trace_id } of traces) {
    const span = { span_id: randomUUID(), name: "late", started_at: `${day}T10:00:03+00:00` };
    expect(await store.addSpans(project, trace_id, [span])).toBe(true);
    const score = await scoreCreation(database).ofTrace(
      someScore({ project_id: project, trace_id, created_at: instantAt(Date.now() + 60_000) }),
    );
    const [stored] = await scoreReader(database, traceScoreKind).read(project, [score?.id ?? ""]);
    if (stored === undefined) throw new Error("The score is not stored.");
    const at = stored.trace_started_at ?? "";
    const row = await storedRowReader(database)(project, trace_id, at, stored.trace_partition ?? 0);
    expect([row?.traceId, await staleTraces(database)(project, [stored])]).toEqual([trace_id, [false]]);
    await store.addSpans(project, trace_id, [{ ...span, span_id: randomUUID() }]);
    expect(await staleTraces(database)(project, [stored])).toEqual([true]);
  }
  const watched = watchedDatabase(database);
  const { items } = await scanPage(database, "bodies", undefined, 0, 1);
  const orphans = await orphanParts(watched, () => Date.now() + 2 * 86_400_000).remove(
    items.filter(({ pk }) => traces.some(({ trace_id }) => String(pk).endsWith(trace_id))),
  );
  // Their rows are found by the pointers, so no trace is read on its own.
  expect([orphans, watched.calls.map(({ operation }) => operation)]).toEqual([
    { removed: 0, unreadable: 0 },
    ["BatchGetItem"],
  ]);
  const [first, second, third] = traces.toReversed();
  if (first === undefined || second === undefined || third === undefined) throw new Error("There are too few traces.");

  await store.save(project, { ...first, started_at: "2026-09-30T23:00:00+00:00" });
  expect((await reader.locate(project, first.trace_id))?.row.startedAt).toBe("2026-09-30T23:00:00+00:00");
  for (const { trace_id } of [first, second]) {
    await traceRemoval(database).remove(project, trace_id);
    await expect(store.save(project, { ...second, trace_id }, "telemetry")).rejects.toEqual(traceDeleted());
  }
  await store.save(project, second);
  await store.save(project, { ...first, started_at: "2026-09-30T23:00:00+00:00" });

  expect((await reader.get(project, second.trace_id))?.trace.spans).toHaveLength(1);
  expect((await reader.get(project, third.trace_id))?.trace.spans).toHaveLength(3);
  for (let pass = 0; pass < 2; pass += 1) for await (const _ of eraseTraces(database, true)(project));
  const pointers = [];
  for (const key of traces.map(({ trace_id }) => trace_id)) pointers.push(await reader.pointer(project, key));
  expect([pointers, await rowsLeft(project)]).toEqual([traces.map(() => null), 0]);
});

test("sums of a busy day are those of its rows: totals, hours that a range cuts, usage, and a day repriced in order", async () => {
  const world = analyticsWorld(database);
  await traceDays(database).add(world.project, day, true);
  const minutes = Array.from({ length: 40 }, (_, index) => String(index + 10));
  const traces = minutes.map((minute) => {
    const [started_at, tokens] = [`${day}T11:${minute}:00+00:00`, { prompt_tokens: 1, completion_tokens: 0 }];
    const spans = [{ span_id: randomUUID(), name: "call", model: "a model", token_usage: tokens, started_at }];
    return someTrace({ started_at, ended_at: null, spans });
  });
  const range = [`${day}T11:20:00+00:00`, `${day}T11:40:00+00:00`] as const;
  const total = async (from: string, to: string) => {
    const buckets = await world.figures(from, to);
    return buckets.reduce((sum, { trace_count: count }) => sum + count, 0);
  };
  await world.save(...traces);
  await world.settle();
  const [whole, cut] = [await total(`${day}T00:00:00+00:00`, `${day}T12:00:00+00:00`), await total(...range)];
  const until = await total(range[0], `${day}T12:00:00+00:00`);
  const usage = await world.usage(...range);
  world.clock.now += 7_200_000;
  const check = hourChecker(database, () => Date.now() + 7_200_000);
  const checks = [];
  for (const number of numbers) checks.push(await check(world.project, number, `${day}T11`, Infinity));
  const rebuilt = await sumRebuild(database, () => Date.now() + 7_200_000)(world.project, () => undefined);

  let [counting, isAll, steps]: [RowCount, boolean, number] = [emptyRowCount, false, 0];
  for (; !isAll; steps += 1) {
    ({ count: counting, isAll } = await rowCounting(database, Date.now)(world.project, counting, 0));
  }
  const rows = rowsByDay(database);
  const bounds = { from: range[0], to: range[1] };
  const [listed] = await rows.days(world.project, bounds);
  if (listed === undefined) throw new Error("The day is not listed.");
  const rowsAfter = async (key: Uint8Array | null): Promise<readonly PackedTrace[]> => {
    const pages: PackedTrace[] = [];
    for await (const page of rows.rowsOf(bounds, listed, key, 8)) pages.push(...page);
    return pages;
  };
  const allRows = await rowsAfter(null);
  const rest = await rowsAfter(allRows[6]?.key ?? null);

  expect([whole, cut, until, await world.total(), counting.rows]).toEqual([40, 20, 30, 40, 40]);
  expect(usage).toMatchObject([{ prompt_tokens: 20 }]);
  expect(checks).toEqual(numbers.map(() => ({ hours: 1, wrong: 0, isComplete: true })));
  expect(rebuilt).toMatchObject({ hours: partitionsOfBusyDay, wrongHours: 0 });
  expect(steps).toBeGreaterThanOrEqual(partitionsOfBusyDay);
  expect(allRows.map(({ startedAt }) => startedAt)).toEqual(traces.slice(10, 30).map(({ started_at }) => started_at));
  expect(rest.map(({ traceId }) => traceId)).toEqual(allRows.slice(7).map(({ traceId }) => traceId));
});

test("three times what a partition takes is stored within seconds by processes that learn of it apart, and nothing is lost", async () => {
  const project = randomUUID();
  const load = { limit: 40, commits: 120, processes: 6, seconds: 4 };

  const { refusals, writes, sentIds, waiting } = await writeBusyDay(database, project, day, load);

  const ids: string[] = [];
  await traceList(database).matching(project, traceFilter({}), ({ traceId }) => ids.push(traceId));
  expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  expect(sentIds.filter((id) => !ids.includes(id) && !waiting.includes(id))).toEqual([]);
  // Refused is less than a second's load in all, and at the end nearly all of it is taken.
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals.length).toBeLessThan(load.commits);
  expect(writes.at(-1)?.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(0.9 * load.commits);
});
