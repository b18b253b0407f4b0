import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { sessionFilter } from "../../../lib/domain/sessions/filter.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import { sessionList, type SessionQuery } from "../../../lib/store/sessions/list.ts";
import { userList } from "../../../lib/store/traces/lists/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { seeded } from "../../support/random.ts";
import { writeRows } from "../../support/traces/rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hour = 3_600_000;
const start = Date.UTC(2026, 9, 1, 22);

const rowsOf = (seed: number, overrides: readonly Partial<TraceRow>[]): readonly TraceRow[] => {
  const random = seeded(seed);
  return overrides.map((fields, index) => ({ ...generateRow(random, start + index * hour), ...fields }));
};

const query = (overrides: Partial<SessionQuery> = {}): SessionQuery => ({
  filter: sessionFilter({}),
  sortBy: "recent",
  order: "desc",
  limit: 50,
  offset: 0,
  ...overrides,
});

/** Stores three sessions and a trace without a session, over two days. @returns the project. */
const someSessions = async (): Promise<string> => {
  const project = randomUUID();
  const [a, b, c] = [{ sessionId: "Alpha" }, { sessionId: "beta" }, { sessionId: "gamma" }];
  const timesOf = (index: number, seconds: number) => ({
    startedAt: instantAt(start + index * hour),
    endedAt: instantAt(start + index * hour + seconds * 1000),
  });
  const rows = rowsOf(1, [
    { ...a, ...timesOf(0, 2), arrivedAt: 900, userId: null, status: "COMPLETED", tags: ["x"], totalCost: 0.1 },
    { ...a, ...timesOf(1, 3), arrivedAt: 100, userId: "u1", status: "ERROR", tags: ["y", "x"], totalCost: 0.2 },
    { ...b, ...timesOf(2, 9), arrivedAt: 500, userId: "u2", status: "COMPLETED", tags: [], totalCost: 0 },
    { ...c, endedAt: null, arrivedAt: 950, userId: "u2", status: "COMPLETED", tags: ["z"], totalCost: 7 },
    { ...c, endedAt: null, arrivedAt: 940, userId: "u1", status: "RUNNING", tags: ["x"], totalCost: 1 },
    { ...c, endedAt: null, arrivedAt: 930, userId: "u1", status: "COMPLETED", tags: ["x"], totalCost: 1 },
    { sessionId: null, userId: "u3", status: "ERROR" },
  ]);
  const usage = { hour: "2026-10-01T22", model: "m", calls: 1, promptTokens: 5, completionTokens: 0 };
  // The totals of a packed row are computed from its contributions.
  await writeRows(
    database,
    project,
    rows.map((row) => Object.assign(row, { contributions: [{ ...usage, cost: row.totalCost }] })),
  );
  return project;
};

const idsOf = async (project: string, overrides: Partial<SessionQuery>): Promise<readonly string[]> =>
  (await sessionList(database)(project, query(overrides))).sessions.map(({ sessionId }) => sessionId);

test("a session sums up all of its traces, over several days", async () => {
  const project = await someSessions();

  const { sessions, total } = await sessionList(database)(project, query());

  expect(total).toBe(3);
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["gamma", "Alpha", "beta"]);
  expect(sessions[1]).toEqual({
    sessionId: "Alpha",
    traceCount: 2,
    firstTraceAt: "2026-10-01T22:00:00+00:00",
    lastTraceAt: "2026-10-01T23:00:03+00:00",
    totalLatency: 5000,
    hasError: true,
    hasFailedSpan: true,
    userId: "u1",
    tags: ["x", "y"],
    spanCount: 40,
    totalTokens: 10,
    totalCost: 0.3,
    unpricedTokens: 0,
    newestArrival: 900,
  });
  expect(sessions[0]).toMatchObject({ lastTraceAt: null, totalLatency: null, userId: "u2", tags: ["x", "z"] });
});

test("sessions are sorted by every column in both directions, those without a latency last", async () => {
  const project = await someSessions();

  expect(await idsOf(project, { sortBy: "recent", order: "asc" })).toEqual(["beta", "Alpha", "gamma"]);
  expect(await idsOf(project, { sortBy: "trace_count" })).toEqual(["gamma", "Alpha", "beta"]);
  expect(await idsOf(project, { sortBy: "latency" })).toEqual(["beta", "Alpha", "gamma"]);
  expect(await idsOf(project, { sortBy: "latency", order: "asc" })).toEqual(["Alpha", "beta", "gamma"]);
  expect(await idsOf(project, { sortBy: "cost" })).toEqual(["gamma", "Alpha", "beta"]);
});

test("filters select the traces that are summed up; has_error and the page apply to the sums", async () => {
  const project = await someSessions();
  const list = sessionList(database);

  const ofUser = await list(project, query({ filter: sessionFilter({ user_id: "u1" }) }));
  expect(ofUser.sessions.map(({ sessionId, traceCount }) => [sessionId, traceCount])).toEqual([
    ["gamma", 2],
    ["Alpha", 1],
  ]);
  expect(await idsOf(project, { filter: sessionFilter({ tags: ["y"] }) })).toEqual(["Alpha"]);
  expect(await idsOf(project, { filter: sessionFilter({ date_to: "2026-10-01T23:00Z", has_error: false }) })).toEqual([
    "Alpha",
  ]);
  expect(await idsOf(project, { filter: sessionFilter({ has_error: true }) })).toEqual(["Alpha"]);
  expect(await idsOf(project, { filter: sessionFilter({ has_error: false }) })).toEqual(["gamma", "beta"]);
  expect(await idsOf(project, { filter: sessionFilter({ query: "ALPH" }) })).toEqual(["Alpha"]);
  expect(await idsOf(project, { filter: sessionFilter({ query: "a" }), limit: 1, offset: 1 })).toEqual(["Alpha"]);
  expect(await list(project, query({ offset: 3 }))).toEqual({ sessions: [], total: 3, last: null });
  expect(await list(randomUUID(), query())).toEqual({ sessions: [], total: 0, last: null });
});

test("equal sessions are sorted by their ids, in the same direction", async () => {
  const project = randomUUID();
  const alike = ["b", "\u{1f600}", "\u{ff5e}", "a"].map((sessionId) => ({ sessionId, arrivedAt: 1, changedAt: 1 }));
  await writeRows(database, project, rowsOf(2, alike));

  expect(await idsOf(project, { order: "asc" })).toEqual(["a", "b", "\u{ff5e}", "\u{1f600}"]);
  expect(await idsOf(project, { order: "desc" })).toEqual(["\u{1f600}", "\u{ff5e}", "b", "a"]);
});

test("users are listed by last activity, each with the number of their traces", async () => {
  const project = await someSessions();

  const { users, total } = await userList(database)(project, 2, 0);

  expect(total).toBe(3);
  expect(users).toMatchObject([
    { userId: "u3", traceCount: 1, errorCount: 1 },
    { userId: "u1", traceCount: 3, errorCount: 1, firstSeen: "2026-10-01T23:00:00+00:00" },
  ]);
  expect(users[1]?.lastSeen).toMatch(/^2026-10-02T03/u);
  expect((await userList(database)(project, 2, 2)).users.map(({ userId }) => userId)).toEqual(["u2"]);
});

test("a list of sessions or users that would read too many rows is refused", async () => {
  const project = await someSessions();
  const tooManyRows = { reason: { kind: "invalid", violations: [{ type: "too_many_rows" }] } };

  await expect(sessionList(database, Date.now, 6)(project, query())).rejects.toMatchObject(tooManyRows);
  await expect(userList(database, Date.now, 6)(project, 1, 0)).rejects.toMatchObject(tooManyRows);
});

test("sessions and users that exceed the memory limit are refused with a message", async () => {
  const project = await someSessions();
  const tooLarge = (kind: string) => ({
    reason: {
      kind: "invalid",
      violations: [{ type: "too_many_rows", msg: expect.stringContaining(`too many ${kind} to keep them in memory`) }],
    },
  });

  await expect(sessionList(database, Date.now, 2_000, 1_500)(project, query())).rejects.toMatchObject(
    tooLarge("sessions"),
  );
  await expect(userList(database, Date.now, 2_000, 500)(project, 1, 0)).rejects.toMatchObject(tooLarge("users"));
  expect((await sessionList(database, Date.now, 2_000, 10_000)(project, query())).total).toBeGreaterThan(1);
});

test("the texts of sessions count towards the memory limit, however few sessions there are", async () => {
  const [project, random] = [randomUUID(), seeded(1)];
  const wordy = [1, 2, 3].map((number) =>
    Object.assign(generateRow(random, Date.UTC(2026, 9, 1, number)), {
      sessionId: "chat",
      tags: [`${number}-${"t".repeat(200)}`],
    }),
  );
  await writeRows(database, project, wordy);

  const list = (heldLimit: number) => sessionList(database, Date.now, 2_000, heldLimit)(project, query());

  await expect(list(1_000)).rejects.toMatchObject({ reason: { violations: [{ loc: ["query", "started_after"] }] } });
  expect((await list(2_000)).sessions).toMatchObject([{ sessionId: "chat", traceCount: 3 }]);
});
