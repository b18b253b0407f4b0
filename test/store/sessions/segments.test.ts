import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { SessionSum } from "../../../lib/domain/sessions/session.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { packSum, unpackSum } from "../../../lib/store/sessions/segment-sum.ts";
import { sessionSegments } from "../../../lib/store/sessions/segments.ts";
import { sessionSummary } from "../../../lib/store/sessions/summary.ts";
import { sessionRowPages } from "../../../lib/store/traces/rows-of-session.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { seeded } from "../../support/random.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { writeRows } from "../../support/traces/rows.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.UTC(2026, 9, 1);

/** A simulated clock. */
const clock = () => ({ at: Date.UTC(2026, 9, 20) });

/** Milliseconds after which a segment is old enough for its sum to be stored. */
const settlingMilliseconds = 100_000;

const storeRows = async (count: number, fieldsOf: (index: number) => Partial<TraceRow> = () => ({})) => {
  const [project, random] = [randomUUID(), seeded(1)];
  const rows = Array.from({ length: count }, (_, index) => ({
    ...generateRow(random, start + index * 1000),
    sessionId: "s",
    ...fieldsOf(index),
  }));
  await writeRows(database, project, rows);
  return { project, rows };
};

const summaryOf = (connection: Database, now: () => number, sizes?: Parameters<typeof sessionSummary>[3]) =>
  sessionSummary(sessionRowPages(connection, now), sessionSegments(connection, now), now, sizes);

test("from the third read on, a large session costs its page and newest traces only; a small one costs its rows", async () => {
  const watched = watchedDatabase(database);
  const [time, takeCapacity] = [clock(), countCapacity(watched)];
  const [large, small] = [await storeRows(650), await storeRows(40)];
  const summary = summaryOf(watched, () => time.at, { small: 50, segment: 100, tail: 10 });
  const cost = async (project: string, offset: number) => {
    takeCapacity();
    const page = (await summary(project, "s", 10, offset))?.page;
    return { shown: page?.length, ...takeCapacity() };
  };

  const first = await cost(large.project, 0);
  time.at += settlingMilliseconds;
  const second = await cost(large.project, 0);
  const pages = [await cost(large.project, 0), await cost(large.project, 400)];

  // Four requests: the first rows, the head, the segments and the tail; a page behind the first rows needs no more.
  expect(pages).toEqual(pages.map(() => ({ shown: 10, read: expect.any(Number), write: 0, calls: 4 })));
  for (const { read } of pages) expect(read).toBeLessThan(first.read / 2);
  expect(second.read).toBeGreaterThan(first.read);
  expect(await cost(small.project, 0)).toEqual({ shown: 10, read: expect.any(Number), write: 0, calls: 1 });
});

test("a session too large to be summed up in one request is refused until stored partial sums make it possible", async () => {
  const time = clock();
  const { project, rows } = await storeRows(200);
  const pages = sessionRowPages(database, () => time.at);
  const slow: typeof pages = (projectId, session, range, place) => {
    time.at += 3_000;
    return pages(projectId, session, range, { ...place, limit: 10 });
  };
  const sizes = { small: 10, segment: 10, tail: 2 };
  const segments = sessionSegments(database, () => time.at);
  const summary = sessionSummary(slow, segments, () => time.at, sizes);

  const sumCounts: number[] = [];
  let summaryOrNull: Awaited<ReturnType<typeof summary>> = null;
  for (let tries = 0; summaryOrNull === null && tries < 40; tries += 1) {
    summaryOrNull = await summary(project, "s", 5, 0).catch((error: unknown) => {
      if (error instanceof Refusal && error.reason.kind === "unavailable") return null;
      throw error;
    });
    sumCounts.push((await segments.list(project, "s")).filter(({ sum }) => sum !== null).length);
    time.at += settlingMilliseconds;
  }

  expect(sumCounts.length).toBeGreaterThan(3);
  expect(sumCounts).toEqual(sumCounts.toSorted((a, b) => a - b));
  expect(summaryOrNull?.session.traceCount).toBe(200);
  expect(summaryOrNull?.page.map(({ id }) => id)).toEqual(rows.slice(0, 5).map(({ traceId }) => traceId));
});

test("more segments than one transaction can hold are created by several transactions", async () => {
  const time = clock();
  const { project } = await storeRows(130);
  const segments = sessionSegments(database, () => time.at);

  await summaryOf(database, () => time.at, { small: 5, segment: 1, tail: 1 })(project, "s", 5, 0);

  const segmentList = await segments.list(project, "s");
  expect(segmentList).toHaveLength(129);
  expect(segmentList.slice(1).map(({ from }) => from)).toEqual(segmentList.slice(0, -1).map(({ to }) => to));
});

test("segments with more tags than their rows are worth have no stored sum, and the summary is correct", async () => {
  const time = clock();
  const { project } = await storeRows(30, (index) =>
    index < 10 ? { tags: Array.from({ length: 20 }, (_, tag) => `${index} ${tag} ${"x".repeat(100)}`) } : {},
  );
  const segments = sessionSegments(database, () => time.at);
  const summary = summaryOf(database, () => time.at, { small: 5, segment: 10, tail: 2 });

  const summaries = [];
  for (let times = 0; times < 3; times += 1, time.at += settlingMilliseconds)
    summaries.push(await summary(project, "s", 5, 0));

  expect((await segments.list(project, "s")).map(({ sum }) => sum?.count ?? null)).toEqual([null, 10]);
  expect(summaries[0]?.session).toMatchObject({ traceCount: 30 });
  expect(summaries[0]?.session.tags.length).toBeGreaterThan(200);
  expect(summaries.slice(1)).toEqual([summaries[0], summaries[0]]);
});

test("a sum survives packing and unpacking, unless it has a number that JSON cannot represent", () => {
  const [random, sum] = [seeded(3), new SessionSum("s")];
  for (let count = 20; count > 0; count -= 1) sum.add({ ...generateRow(random, start), latency: 0.123456 });
  const state = sum.state();

  expect(unpackSum(packSum(state) ?? "")).toEqual(state);
  expect(packSum({ ...state, cost: [Infinity, 0] })).toBeNull();
});

test("a sum of an earlier version, which knows no failed spans, is read only where a trace has failed", () => {
  const sumOf = (status: "COMPLETED" | "ERROR"): string => {
    const sum = new SessionSum("s");
    sum.add({ ...generateRow(seeded(3), start), latency: 1, status });
    return JSON.stringify((JSON.parse(packSum(sum.state()) ?? "") as unknown[]).slice(0, 12));
  };

  expect(unpackSum(sumOf("COMPLETED"))).toBeNull();
  expect(unpackSum(sumOf("ERROR"))).toMatchObject({ count: 1, hasError: true, hasFailedSpan: true });
});

test("the incarnation check of a session reads its index until it meets an existing trace, not the whole session", async () => {
  const { project } = await storeRows(300);
  const sessionTrace = someTrace({ session_id: "s", started_at: instantAt(start + 11_500) });
  await traceStore(database, 0).save(project, sessionTrace);
  const watched = watchedDatabase(database);

  const check = await sessionRows(watched).incarnationCheck(project, "s");

  expect(check?.traceId).toBe(sessionTrace.trace_id);
  expect(watched.calls.filter(({ input }) => input["IndexName"] === "by-session")).toHaveLength(2);
});
