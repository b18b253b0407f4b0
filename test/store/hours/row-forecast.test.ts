import { afterAll, beforeAll, expect, test } from "vitest";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { analyticsWorld } from "../traces/analytics-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const limit = 4;
const bounds = [["query", "started_after"], "started_after and started_before"] as const;
const refused = {
  reason: { kind: "invalid", violations: [{ loc: ["query", "started_after"], type: "too_many_rows" }] },
};
const at = (day: number, hour = 0) => `2026-10-0${day}T${String(hour).padStart(2, "0")}:00:00+00:00`;

/** A project with so many traces at ten o'clock of each day. */
const world = async (...ofDays: readonly number[]) => {
  const { clock, project, save, settle } = analyticsWorld(database);
  clock.now = Date.parse("2026-10-09T12:00:00Z");
  for (const [index, count] of ofDays.entries())
    await save(...Array.from({ length: count }, () => someTrace({ started_at: at(index + 1, 10) })));
  await settle();
  const watched = watchedDatabase(database);
  const forecast = rowForecast(watched, () => clock.now, limit);
  return {
    ask: (from: string | null, to: string | null) => forecast(project, { from, to }, ...bounds),
    calls: watched.calls,
  };
};

test("what reads too many rows of a project is refused before one is read", async () => {
  const { ask, calls } = await world(5, 3);

  await expect(ask(null, null)).rejects.toMatchObject(refused);
  await expect(ask(at(1), at(2))).rejects.toMatchObject(refused);
  await expect(ask(null, at(2))).rejects.toMatchObject(refused);
  await expect(ask(at(2), null)).resolves.toBeUndefined();
  await expect(ask(at(1, 11), at(3))).resolves.toBeUndefined();
  await expect(ask(at(3), at(2))).resolves.toBeUndefined();

  expect(new Set(calls.map(({ input }) => input["TableName"]))).toEqual(new Set(["aggregates"]));
});

test("of a project with fewer rows altogether nothing but its number is asked", async () => {
  const { ask, calls } = await world(3, 1);

  await ask(null, null);
  await ask(at(1), at(2));

  expect(calls).toHaveLength(2);
});
