import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { SessionSum } from "../../../lib/domain/sessions/session.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/store/database.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { packSum, unpackSum } from "../../../lib/store/sessions/segment-sum.ts";
import { sessionSegments } from "../../../lib/store/sessions/segments.ts";
import { sessionSummary } from "../../../lib/store/sessions/summary.ts";
import { sessionPages } from "../../../lib/store/traces/rows-of-session.ts";
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

/** A clock that is set by hand. */
const clock = () => ({ at: Date.UTC(2026, 9, 20) });

/** Longer than a segment has to be there before a sum is kept of it. */
const settled = 100_000;

const storeRows = async (count: number, given: (index: number) => Partial<TraceRow> = () => ({})) => {
  const [project, random] = [randomUUID(), seeded(1)];
  const rows = Array.from({ length: count }, (_, index) => ({
    ...generateRow(random, start + index * 1000),
    sessionId: "s",
    ...given(index),
  }));
  await writeRows(database, project, rows);
  return { project, rows };
};

const summaryOf = (own: Database, now: () => number, sizes?: Parameters<typeof sessionSummary>[3]) =>
  sessionSummary(sessionPages(own, now), sessionSegments(own, now), now, sizes);

test("a large session that has been read twice costs the page and its newest traces; a small one what its rows cost", async () => {
  const watched = watchedDatabase(database);
  const [time, spent] = [clock(), countCapacity(watched)];
  const [large, small] = [await storeRows(650), await storeRows(40)];
  const summary = summaryOf(watched, () => time.at, { small: 50, segment: 100, tail: 10 });
  const cost = async (project: string, offset: number) => {
    spent();
    const page = (await summary(project, "s", 10, offset))?.page;
    return { shown: page?.length, ...spent() };
  };

  const first = await cost(large.project, 0);
  time.at += settled;
  const second = await cost(large.project, 0);
  const pages = [await cost(large.project, 0), await cost(large.project, 400)];

  // A request for each: the first rows, the head, the segments and the tail; a page behind the first rows needs no more.
  expect(pages).toEqual(pages.map(() => ({ shown: 10, read: expect.any(Number), write: 0, calls: 4 })));
  for (const { read } of pages) expect(read).toBeLessThan(first.read / 2);
  expect(second.read).toBeGreaterThan(first.read);
  expect(await cost(small.project, 0)).toEqual({ shown: 10, read: expect.any(Number), write: 0, calls: 1 });
});

test("a session that is too large to be added up at once is refused until it is: what was added up is kept", async () => {
  const time = clock();
  const { project, rows } = await storeRows(200);
  const pages = sessionPages(database, () => time.at);
  const slow: typeof pages = (of, session, range, place) => {
    time.at += 3_000;
    return pages(of, session, range, { ...place, most: 10 });
  };
  const sizes = { small: 10, segment: 10, tail: 2 };
  const segments = sessionSegments(database, () => time.at);
  const summary = sessionSummary(slow, segments, () => time.at, sizes);

  const kept: number[] = [];
  let found: Awaited<ReturnType<typeof summary>> = null;
  for (let tries = 0; found === null && tries < 40; tries += 1) {
    found = await summary(project, "s", 5, 0).catch((error: unknown) => {
      if (error instanceof Refusal && error.reason.kind === "unavailable") return null;
      throw error;
    });
    kept.push((await segments.list(project, "s")).filter(({ sum }) => sum !== null).length);
    time.at += settled;
  }

  expect(kept.length).toBeGreaterThan(3);
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  expect(found?.session.traceCount).toBe(200);
  expect(found?.page.map(({ id }) => id)).toEqual(rows.slice(0, 5).map(({ traceId }) => traceId));
});

test("more segments than one transaction takes are made one behind the other", async () => {
  const time = clock();
  const { project } = await storeRows(130);
  const segments = sessionSegments(database, () => time.at);

  await summaryOf(database, () => time.at, { small: 5, segment: 1, tail: 1 })(project, "s", 5, 0);

  const made = await segments.list(project, "s");
  expect(made).toHaveLength(129);
  expect(made.slice(1).map(({ from }) => from)).toEqual(made.slice(0, -1).map(({ to }) => to));
});

test("of segments with more tags than their rows are worth no sum is kept, and none is wrong", async () => {
  const time = clock();
  const { project } = await storeRows(30, (index) =>
    index < 10 ? { tags: Array.from({ length: 20 }, (_, tag) => `${index} ${tag} ${"x".repeat(100)}`) } : {},
  );
  const segments = sessionSegments(database, () => time.at);
  const summary = summaryOf(database, () => time.at, { small: 5, segment: 10, tail: 2 });

  const found = [];
  for (let times = 0; times < 3; times += 1, time.at += settled) found.push(await summary(project, "s", 5, 0));

  expect((await segments.list(project, "s")).map(({ sum }) => sum?.count ?? null)).toEqual([null, 10]);
  expect(found[0]?.session).toMatchObject({ traceCount: 30 });
  expect(found[0]?.session.tags.length).toBeGreaterThan(200);
  expect(found.slice(1)).toEqual([found[0], found[0]]);
});

test("a sum is what it was when it was kept, unless it has a number that text cannot hold", () => {
  const [random, sum] = [seeded(3), new SessionSum("s")];
  for (let left = 20; left > 0; left -= 1) sum.add({ ...generateRow(random, start), latency: 0.123456 });
  const state = sum.state();

  expect(unpackSum(packSum(state) ?? "")).toEqual(state);
  expect(packSum({ ...state, cost: [Infinity, 0] })).toBeNull();
});

test("a witness of a session is looked for until one is there, not among all traces", async () => {
  const { project } = await storeRows(300);
  const there = someTrace({ session_id: "s", started_at: instantAt(start + 11_500) });
  await traceStore(database, 0).save(project, there);
  const watched = watchedDatabase(database);

  const witness = await sessionRows(watched).witness(project, "s");

  expect(witness?.traceId).toBe(there.trace_id);
  expect(watched.calls.filter(({ input }) => input["IndexName"] === "by-session")).toHaveLength(2);
});
