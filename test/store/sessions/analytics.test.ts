import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionAnalytics } from "../../../lib/store/sessions/analytics.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const range = ["2026-10-01T00:00:00+00:00", "2026-10-02T00:00:00+00:00", "day"] as const;

const projectOf = async (count: number, retentionDays = 0, now = Date.now): Promise<string> => {
  const project = randomUUID();
  const traces = traceStore(database, retentionDays, now);
  for (let index = 0; index < count; index += 1) {
    await traces.save(project, someTrace({ session_id: `session-${index % 2}` }));
  }
  return project;
};

test("a range with more traces than the row limit is refused, a range with exactly the limit is not", async () => {
  const project = await projectOf(3);

  const tooLarge = sessionAnalytics(database, Date.now, 2)(project, ...range);

  await expect(tooLarge).rejects.toMatchObject({
    reason: { kind: "invalid", violations: [{ loc: ["query", "started_after"], type: "too_many_rows" }] },
  });
  expect(await sessionAnalytics(database, Date.now, 3)(project, ...range)).toMatchObject([
    { session_count: 2, avg_traces_per_session: 1.5, avg_session_duration_ms: 3750 },
  ]);
});

test("sessions that exceed the memory limit are refused with a message", async () => {
  const project = await projectOf(3);

  await expect(sessionAnalytics(database, Date.now, 3, 300)(project, ...range)).rejects.toMatchObject({
    reason: { violations: [{ loc: ["query", "started_after"], msg: expect.stringContaining("too many sessions") }] },
  });
  expect(await sessionAnalytics(database, Date.now, 3, 500)(project, ...range)).toHaveLength(1);
});

test("expired traces belong to no session", async () => {
  const arrival = Date.parse("2026-10-01T12:00:00Z");
  const project = await projectOf(2, 1, () => arrival);
  const at = (time: string) => sessionAnalytics(database, () => Date.parse(time))(project, ...range);

  expect(await at("2026-10-02T23:59:59Z")).toHaveLength(1);
  expect(await at("2026-10-03T00:00:00Z")).toEqual([]);
});
