import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { traceList, type TraceList } from "../../../lib/store/traces/lists/list.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Stores a trace for each start time. @returns the trace ids, newest first, ids descending among equal starts. */
const storeAt = async (project: string, instants: readonly string[]): Promise<readonly string[]> => {
  const store = traceStore(database, 0);
  const traces = instants.map((started_at) => someTrace({ started_at, name: `at ${started_at}` }));
  for (const trace of traces) await store.save(project, trace);
  const keys = traces
    .map(({ started_at, trace_id }) => `${started_at} ${trace_id}`)
    .toSorted()
    .toReversed();
  return keys.map((key) => key.split(" ")[1] ?? "");
};

const instantsOf = (count: number): readonly string[] => {
  const random = seeded(count);
  return Array.from({ length: count }, () => {
    const [day, second] = [random.between(1, 12), random.below(3)];
    const fraction = random.pick(["", ".000001", ".500000"]);
    return `2026-10-${String(day).padStart(2, "0")}T10:00:0${second}${fraction}+00:00`;
  });
};

const matchingIds = async (
  list: TraceList,
  project: string,
  filters: Parameters<typeof traceFilter>[0],
): Promise<readonly string[]> => {
  const ids: string[] = [];
  await list.matching(project, traceFilter(filters), ({ traceId }) => ids.push(traceId));
  return ids;
};

const idsOf = async (project: string, limit: number, offset: number): Promise<readonly string[]> =>
  (await traceList(database).page(project, limit, offset)).rows.map(({ traceId }) => traceId);

test("pages contain every trace once, newest first, ids descending among equal starts, over many days", async () => {
  const project = randomUUID();
  const expected = await storeAt(project, instantsOf(50));

  const pages: string[] = [];
  for (let offset = 0; offset < 56; offset += 7) pages.push(...(await idsOf(project, 7, offset)));

  expect(pages).toEqual(expected);
  expect(await idsOf(project, 200, 0)).toEqual(expected);
});

test("starts before the epoch and in far years are listed in order", async () => {
  const project = randomUUID();
  const instants = ["0001-01-01T00:00:00+00:00", "1969-12-31T23:59:59.999999+00:00", "9999-12-31T23:59:59+00:00"];
  const expected = await storeAt(project, instants);

  expect(await idsOf(project, 10, 0)).toEqual(expected);
});

test("the total is at least the number of listed traces, and exact once a list was read to its end", async () => {
  const project = randomUUID();
  await storeAt(project, instantsOf(9));
  const list = traceList(database);

  // The counters are 0, as no stream record was delivered yet.
  expect((await list.page(project, 4, 0)).total).toBeGreaterThanOrEqual(4);
  expect((await list.page(project, 4, 4)).total).toBeGreaterThanOrEqual(8);
  expect((await list.page(project, 10, 0)).total).toBe(9);
  expect(await list.page(project, 4, 100)).toEqual({ rows: [], total: 9, last: null });
});

test("the total of a first page is the counted number", async () => {
  const project = randomUUID();
  await storeAt(project, instantsOf(9));
  const changes = Array.from({ length: 9 }, (_, index) => ({
    project,
    expiry: "-",
    change: 1 as const,
    sequence: BigInt(index + 1),
  }));

  await traceCounts(database).fold("shard", changes);

  expect((await traceList(database).page(project, 4, 0)).total).toBe(9);
});

test("a project without traces has an empty list", async () => {
  expect(await traceList(database).page(randomUUID(), 50, 0)).toEqual({ rows: [], total: 0, last: null });
});

test("a snapshot contains every matching trace of the range and project, and no other", async () => {
  const [project, otherProject] = [randomUUID(), randomUUID()];
  const store = traceStore(database, 0);
  const days = ["2026-09-30T23:59:59.999999+00:00", "2026-10-01T00:00:00+00:00", "2026-10-02T12:00:00+00:00"] as const;
  const traces = days.flatMap((started_at) => [
    someTrace({ started_at, tags: ["eu"], session_id: "s" }),
    someTrace({ started_at, tags: ["us"], session_id: "t" }),
  ]);
  for (const trace of traces) await store.save(project, trace);
  await store.save(otherProject, someTrace({ started_at: days[1] }));
  const list = traceList(database);
  const matching = async (filters: Parameters<typeof traceFilter>[0]) =>
    new Set(await matchingIds(list, project, filters));
  const ids = (...indexes: readonly number[]) => new Set(indexes.map((index) => traces[index]?.trace_id));

  expect(await matching({})).toEqual(ids(0, 1, 2, 3, 4, 5));
  expect(await matching({ date_from: "2026-10-01" })).toEqual(ids(2, 3, 4, 5));
  expect(await matching({ date_from: "2026-10-01", date_to: "2026-10-02T12:00Z" })).toEqual(ids(2, 3));
  expect(await matching({ date_to: "2026-10-01" })).toEqual(ids(0, 1));
  expect(await matching({ tags: ["us"] })).toEqual(ids(1, 3, 5));
  expect(await matching({ session_id: "s", date_from: "2026-10-02" })).toEqual(ids(4));
  expect(await matching({ date_from: "2026-10-03", date_to: "2026-10-01" })).toEqual(ids());
});

test("a stored trace is in the next snapshot", async () => {
  const project = randomUUID();
  const list = traceList(database);

  for (let count = 1; count <= 20; count += 1) {
    const trace = someTrace({ started_at: `2026-10-0${1 + (count % 5)}T10:00:00+00:00` });
    await traceStore(database, 0).save(project, trace);
    const ids = await matchingIds(list, project, {});
    expect(ids).toContain(trace.trace_id);
    expect(ids.length).toBe(count);
  }
});
