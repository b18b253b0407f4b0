import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { traceFilter } from "../../lib/domain/traces/filter.ts";
import { refusalOf } from "../../lib/http/refusal-of.ts";
import { traceList } from "../../lib/store/traces/lists/list.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../support/database/database.ts";
import { isOn, watchedDatabase } from "../support/database/watched-database.ts";
import { someTrace } from "../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const query = { filter: traceFilter({ name: "a" }), sortBy: "name", order: "asc", limit: 10, offset: 0 } as const;

/** A project with one trace, whose row queries are throttled `times` times. */
const throttledProject = async (times: number) => {
  const [project, trace] = [randomUUID(), someTrace({ name: "agent" })];
  await traceStore(database, 0).save(project, trace);
  let throttledCount = 0;
  const watchedDb = watchedDatabase(database, (call) => {
    const readsRows = isOn("Query", "rows")(call) && String(call.input["ProjectionExpression"]).includes("d, ");
    if (!readsRows || throttledCount === times) return null;
    throttledCount += 1;
    return "throttle";
  });
  return { list: () => traceList(watchedDb).list(project, query), throttledCount: () => throttledCount, trace };
};

test("a list is retried while the partition's read units are used up", async () => {
  const { list, throttledCount, trace } = await throttledProject(4);

  expect((await list()).rows.map(({ traceId }) => traceId)).toEqual([trace.trace_id]);
  expect(throttledCount()).toBe(4);
});

test("a list of a permanently throttled partition ends as an outage", async () => {
  const { list } = await throttledProject(Number.POSITIVE_INFINITY);

  const error: unknown = await list().catch((caught: unknown) => caught);

  expect(refusalOf(error, () => 0)?.reason.kind).toBe("unavailable");
});
