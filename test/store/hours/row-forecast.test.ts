import { afterAll, beforeAll, expect, test } from "vitest";
import type { FileDays } from "../../../lib/store/traces/lists/file-days.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { filesWithout } from "../../support/traces/files-without.ts";
import { analyticsWorld } from "../traces/analytics-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const limit = 4;
const bounds = [["query", "started_after"], "started_after and started_before"] as const;
const tooManyRowsError = {
  reason: { kind: "invalid", violations: [{ loc: ["query", "started_after"], type: "too_many_rows" }] },
};
const at = (day: number, hour = 0) => `2026-10-0${day}T${String(hour).padStart(2, "0")}:00:00+00:00`;

/** Finds the files of a range, and when they are read. */
type Files = readonly [files?: () => Promise<FileDays | null>, need?: "if-refused"];

/** A project with `tracesPerDay[n]` traces at ten o'clock of day n + 1, and the row limit check of its ranges. */
const setUp = async (...tracesPerDay: readonly number[]) => {
  const { clock, project, save, settle } = analyticsWorld(database);
  clock.now = Date.parse("2026-10-09T12:00:00Z");
  for (const [index, count] of tracesPerDay.entries())
    await save(...Array.from({ length: count }, () => someTrace({ started_at: at(index + 1, 10) })));
  await settle();
  const watched = watchedDatabase(database);
  const forecast = rowLimitCheck(watched, () => clock.now, limit, 8);
  return {
    checkRange: (from: string | null, to: string | null, ...files: Files) =>
      forecast(project, { from, to }, ...bounds, ...files),
    calls: watched.calls,
  };
};

test("a range with too many rows is refused before any row is read", async () => {
  const { checkRange, calls } = await setUp(5, 3);

  await expect(checkRange(null, null)).rejects.toMatchObject(tooManyRowsError);
  await expect(checkRange(at(1), at(2))).rejects.toMatchObject(tooManyRowsError);
  await expect(checkRange(null, at(2))).rejects.toMatchObject(tooManyRowsError);
  await expect(checkRange(at(2), null)).resolves.toBeNull();
  await expect(checkRange(at(1, 11), at(3))).resolves.toBeNull();
  await expect(checkRange(at(3), at(2))).resolves.toBeNull();

  expect(new Set(calls.map(({ input }) => input["TableName"]))).toEqual(new Set(["aggregates"]));
});

test("the check of a project below the row limit only reads the project's trace count", async () => {
  const { checkRange, calls } = await setUp(3, 1);

  await checkRange(null, null);
  await checkRange(at(1), at(2));

  expect(calls).toHaveLength(2);
});

test("rows of days that are read from files are not counted", async () => {
  const { checkRange } = await setUp(5, 3);
  const filesOf = (day: number, traces: number): FileDays =>
    filesWithout({ days: new Set([`2026-10-0${day}`]), traces });

  const [first, last] = [filesOf(1, 5), filesOf(2, 3)];
  expect(await checkRange(null, null, async () => first)).toBe(first);
  await expect(checkRange(null, null, async () => last)).rejects.toMatchObject(tooManyRowsError);
  await expect(checkRange(null, null, async () => null)).rejects.toMatchObject(tooManyRowsError);
  expect(await checkRange(at(2), null, async () => null)).toBeNull();

  expect(await checkRange(at(2), null, async () => last)).toBe(last);
  expect(await checkRange(at(2), null, async () => last, "if-refused")).toBeNull();
  expect(await checkRange(null, null, async () => first, "if-refused")).toBe(first);
  await expect(checkRange(null, null, async () => last, "if-refused")).rejects.toMatchObject(tooManyRowsError);
});

test("a project with few traces is not asked for files, and costs what it did", async () => {
  const { calls, checkRange } = await setUp(2, 1);
  let questions = 0;

  expect(
    await checkRange(null, null, async () => {
      questions += 1;
      return null;
    }),
  ).toBeNull();

  expect([questions, calls.length]).toEqual([0, 1]);
});
