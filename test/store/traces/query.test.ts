import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SortOrder } from "../../../lib/domain/list-order.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import { traceSortColumns, type TraceSortColumn } from "../../../lib/domain/traces/sort.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { traceList, type TraceQuery } from "../../../lib/store/traces/lists/list.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { seeded } from "../../support/random.ts";
import { writeRows } from "../../support/traces/rows.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

type Filters = Parameters<typeof traceFilter>[0];

const query = (filters: Filters, options: Partial<TraceQuery> = {}): TraceQuery => ({
  filter: traceFilter(filters),
  sortBy: "started_at",
  order: "desc",
  limit: 50,
  offset: 0,
  ...options,
});

const utf8 = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const latencyOf = ({ startedAt, endedAt }: TraceRow): number | null => {
  if (endedAt === null || endedAt < startedAt) return null;
  const micros = (at: string): number =>
    Date.parse(at) * 1000 + Number(at.slice(23, 26).padEnd(3, "0").replace("+00", "0"));
  return micros(endedAt) - micros(startedAt);
};

const keyOf = (row: TraceRow, column: TraceSortColumn): string | number | null =>
  ({
    started_at: row.startedAt,
    ended_at: row.endedAt,
    name: row.name,
    latency: latencyOf(row),
    status: row.status,
    cost: row.totalCost,
    tokens: row.totalTokens,
    errors: row.facts?.spans.errors ?? null,
  })[column];

/** Ids in the specified order: by the column, then by id in the same direction, with nulls last in both directions. */
const sortedIds = (rows: readonly TraceRow[], column: TraceSortColumn, order: SortOrder): readonly string[] =>
  rows
    .toSorted((a, b) => {
      const [leftKey, rightKey] = [keyOf(a, column), keyOf(b, column)];
      if (leftKey === null || rightKey === null) {
        if (leftKey !== rightKey) return leftKey === null ? 1 : -1;
      } else if (leftKey !== rightKey) {
        const difference = typeof leftKey === "number" ? leftKey - Number(rightKey) : utf8(leftKey, String(rightKey));
        return order === "asc" ? difference : -difference;
      }
      return order === "asc" ? utf8(a.traceId, b.traceId) : utf8(b.traceId, a.traceId);
    })
    .map(({ traceId }) => traceId);

const start = Date.UTC(2026, 9, 1, 22);

/** Rows over three days: many with equal starts, names and ends, some without an end or with an end before the start. */
const someRows = (count: number): readonly TraceRow[] => {
  const random = seeded(count);
  return Array.from({ length: count }, (_, index) => {
    const row = generateRow(random, start + random.below(40) * 3_600_000);
    const startedAt = random.chance(0.5) ? row.startedAt : `${row.startedAt.slice(0, 13)}:00:00+00:00`;
    return {
      ...row,
      startedAt,
      name: random.pick(["a", "B", "ä", "\u{ff5e}", "\u{1f600}", "Support Agent", "ΟΔΟΣ", row.name]),
      endedAt: index % 7 === 0 ? null : index % 7 === 1 ? "2026-09-01T00:00:00+00:00" : row.endedAt,
      userId: index % 5 === 0 ? null : `user-${index % 4}`,
      sessionId: index % 3 === 0 ? null : `session-${index % 6}`,
    };
  });
};

const idsOf = (page: { readonly rows: readonly { readonly traceId: string }[] }): readonly string[] =>
  page.rows.map(({ traceId }) => traceId);

const orders = traceSortColumns.flatMap((column) => (["asc", "desc"] as const).map((order) => ({ column, order })));

test.each(orders)("a list by $column, $order, has a total order over all pages", async (sorting) => {
  const { column: sortBy, order } = sorting;
  const [project, rows] = [randomUUID(), someRows(90)];
  await writeRows(database, project, rows);
  const list = traceList(database);

  const pages = [];
  for (let offset = 0; offset < 110; offset += 20) {
    // Without a filter, a list by start is read by another algorithm.
    pages.push(await list.list(project, query({}, { sortBy, order, offset, limit: 20 })));
    pages.push(await list.list(project, query({ date_from: "2020-01-01" }, { sortBy, order, offset, limit: 20 })));
  }

  const expected = sortedIds(rows, sortBy, order);
  expect(pages.filter((_, index) => index % 2 === 0).flatMap(idsOf)).toEqual(expected);
  expect(pages.filter((_, index) => index % 2 === 1).flatMap(idsOf)).toEqual(expected);
  expect(new Set(pages.filter((_, index) => index % 2 === 1).map(({ total }) => total))).toEqual(new Set([90]));
});

const filters: readonly [Filters, (row: TraceRow) => boolean][] = [
  [{ status: "ERROR" }, ({ status }) => status === "ERROR"],
  [{ session_id: "session-1" }, ({ sessionId }) => sessionId === "session-1"],
  [{ session_id: "nobody's" }, () => false],
  [{ session_id: "session-2", status: "ERROR" }, (row) => row.sessionId === "session-2" && row.status === "ERROR"],
  [
    { session_id: "session-2", date_from: "2026-10-02", date_to: "2026-10-03T04:00Z" },
    (row) =>
      row.sessionId === "session-2" && row.startedAt >= "2026-10-02T00" && row.startedAt < "2026-10-03T04:00:00+00:00",
  ],
  [{ session_id: "session-2", date_from: "2026-10-03", date_to: "2026-10-02" }, () => false],
  [{ user_id: "user-2" }, ({ userId }) => userId === "user-2"],
  [{ tags: ["eu"] }, ({ tags }) => tags.includes("eu")],
  [{ tags: ["eu", "us"] }, ({ tags }) => tags.includes("eu") || tags.includes("us")],
  [{ tags: ["eu,us"] }, () => false],
  [{ name: "SUPPORT a" }, ({ name }) => name === "Support Agent"],
  [{ name: "Ä" }, ({ name }) => /[aä]/iu.test(name)],
  [{ name: "Σ" }, ({ name }) => name === "ΟΔΟΣ"],
  [{ name: "οδοσ" }, ({ name }) => name === "ΟΔΟΣ"],
  [{ name: "%" }, () => false],
  [{ name: "" }, () => true],
  [{ date_from: "2026-10-02T05:00Z" }, ({ startedAt }) => startedAt >= "2026-10-02T05:00:00+00:00"],
  [{ date_to: "2026-10-02T05:00Z" }, ({ startedAt }) => startedAt < "2026-10-02T05:00:00+00:00"],
  [
    { date_from: "2026-10-02T05:00Z", date_to: "2026-10-02T05:00:00.000001Z" },
    ({ startedAt }) => startedAt === "2026-10-02T05:00:00+00:00",
  ],
  [{ date_from: "2026-10-03", date_to: "2026-10-02" }, () => false],
  [{ date_from: "2026-10-02", date_to: "2026-10-02" }, () => false],
];

test("every filter matches and counts the specified rows, at any start and in any session", async () => {
  const [project, rows] = [randomUUID(), someRows(120)];
  await writeRows(database, project, rows);
  await writeRows(database, randomUUID(), someRows(30));
  const list = traceList(database);

  for (const [filter, matches] of filters) {
    const expected = sortedIds(rows.filter(matches), "started_at", "desc");
    const page = await list.list(project, query(filter, { limit: 200 }));
    expect({ filter, ids: idsOf(page), total: page.total }).toEqual({ filter, ids: expected, total: expected.length });
  }
});

test("a list is the same when it spans several DynamoDB pages, within a day and over days", async () => {
  const [project, random] = [randomUUID(), seeded(4)];
  const tags = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(255, "t"));
  const rows = Array.from({ length: 160 }, (_, index) => ({
    ...generateRow(random, Date.UTC(2026, 9, index < 150 ? 1 : 3) + random.below(86_400_000)),
    sessionId: "one",
    tags,
  }));
  await writeRows(database, project, rows);
  const watched = watchedDatabase(database);
  const list = traceList(watched);

  const byName = await list.list(project, query({}, { sortBy: "name", limit: 200 }));
  const queries = watched.calls.filter(({ operation }) => operation === "Query").length;
  const inSession = await list.list(project, query({ session_id: "one" }, { sortBy: "latency", limit: 200 }));
  const byStart = await list.list(project, query({}, { order: "asc", limit: 200 }));

  expect(idsOf(byName)).toEqual(sortedIds(rows, "name", "desc"));
  expect(queries).toBeGreaterThan(4);
  expect(idsOf(inSession)).toEqual(sortedIds(rows, "latency", "desc"));
  expect(idsOf(byStart)).toEqual(sortedIds(rows, "started_at", "asc"));
  expect([byName.total, inSession.total, byStart.total]).toEqual([160, 160, 160]);
});

test("a list that would read too many rows is refused, and the refusal names the field to narrow", async () => {
  const [project, rows] = [randomUUID(), someRows(20)];
  await writeRows(database, project, rows);
  const list = traceList(database, Date.now, 19);

  await expect(list.list(project, query({ status: "ERROR" }))).rejects.toMatchObject({
    reason: { kind: "invalid", violations: [{ loc: ["query", "started_after"], type: "too_many_rows" }] },
  });
  await expect(list.list(project, query({}, { offset: 19 }))).rejects.toMatchObject({
    reason: { violations: [{ loc: ["query", "offset"] }] },
  });
  await expect(list.matching(project, traceFilter({}), () => undefined)).rejects.toMatchObject({
    reason: { violations: [{ loc: ["body", "filters"] }] },
  });
  expect((await list.list(project, query({ date_to: rows[0]?.startedAt ?? "" }))).total).toBeLessThan(20);
});

test("a page whose preceding rows exceed the memory limit is refused with a message", async () => {
  const [project, rows] = [randomUUID(), someRows(40)];
  await writeRows(database, project, rows);
  const list = traceList(database, Date.now, 2_000, 20_000);
  const tooLarge = { reason: { violations: [{ loc: ["query", "offset"], msg: expect.stringContaining("memory") }] } };

  await expect(list.list(project, query({}, { offset: 39, sortBy: "name" }))).rejects.toMatchObject(tooLarge);
  await expect(list.list(project, query({}, { offset: 39, sortBy: "started_at" }))).rejects.toMatchObject(tooLarge);
  expect((await list.list(project, query({}, { limit: 5, sortBy: "name" }))).total).toBe(40);
});

test("an offset far beyond a list that is too long to read gives an empty page with the counted total", async () => {
  const [project, rows] = [randomUUID(), someRows(20)];
  await writeRows(database, project, rows);
  const change = { project, expiry: "-", change: 1 as const };
  const changes = rows.map((_, index) => Object.assign({ sequence: BigInt(index + 1) }, change));
  await traceCounts(database).fold("shard", changes);
  const list = traceList(database, Date.now, 19);

  expect(await list.list(project, query({}, { offset: 1e15 }))).toEqual({ rows: [], total: 20, last: null });
  expect((await list.list(project, query({}, { limit: 5 }))).total).toBe(20);
});

test("the Limit of a DynamoDB query stays within its integer range", async () => {
  const [project, rows] = [randomUUID(), someRows(20)];
  await writeRows(database, project, rows);
  const watched = watchedDatabase(database);

  const page = await traceList(watched).list(project, query({}, { offset: 1e15 }));

  const limits = watched.calls.map(({ input }) => Number(input["Limit"] ?? 0));
  expect(Math.max(...limits)).toBeLessThan(2 ** 31);
  expect(page).toEqual({ rows: [], total: 20, last: null });
});

test("expired rows are in no list", async () => {
  const [project, rows] = [randomUUID(), someRows(12)];
  const expiresAt = Math.floor(Date.UTC(2026, 9, 10) / 1000);
  await writeRows(database, project, rows.slice(0, 6), expiresAt);
  await writeRows(database, project, rows.slice(6));
  const list = (now: number) => traceList(database, () => now);
  const [before, after] = [list(expiresAt * 1000 - 1), list(expiresAt * 1000)];

  for (const listQuery of [query({}), query({}, { sortBy: "name" }), query({ tags: ["prod"] })]) {
    expect((await before.list(project, listQuery)).total).toBe(12);
    expect((await after.list(project, listQuery)).total).toBe(6);
  }
  expect((await before.list(project, query({ session_id: "session-1" }))).total).toBe(2);
  expect((await after.list(project, query({ session_id: "session-1" }))).total).toBe(1);
});

test("a list that fails midway fails once, with its cause", async () => {
  const [project, rows] = [randomUUID(), someRows(40)];
  await writeRows(database, project, rows);
  let queries = 0;
  const watched = watchedDatabase(database, ({ operation }) => {
    if (operation === "Query") queries += 1;
    return operation === "Query" && queries > 1 ? "crash-before" : null;
  });

  await expect(traceList(watched).list(project, query({}, { sortBy: "name" }))).rejects.toThrow("died");
});

test("a page whose request is throttled or times out is read again, and counted once", async () => {
  const [project, rows] = [randomUUID(), someRows(40)];
  await writeRows(database, project, rows);
  const attempts = new Map<string, number>();
  const watched = watchedDatabase(database, ({ operation, input }) => {
    const page = JSON.stringify([operation, input["ExpressionAttributeValues"]]);
    attempts.set(page, (attempts.get(page) ?? 0) + 1);
    return (["throttle", "timeout-after"] as const)[(attempts.get(page) ?? 0) - 1] ?? null;
  });

  const page = await traceList(watched).list(project, query({}, { sortBy: "name" }));

  expect(idsOf(page)).toEqual(sortedIds(rows, "name", "desc"));
  expect(page.total).toBe(40);
});
