import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { traceDays, type TraceDay, type TraceDays } from "../../../lib/store/traces/days.ts";
import { numberOfDay, yearKey } from "../../../lib/store/traces/keys.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const day = (index: number): string => new Date(Date.UTC(2026, 10, 20) - index * 86_400_000).toISOString().slice(0, 10);

/** The last `count` days up to November 20, 2026, newest first. */
const days = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => day(index));

/** Lists days in one item per year, all years in parallel. */
const listByYear = (project: string, listedDays: readonly string[]) =>
  Promise.all(
    [...Map.groupBy(listedDays, (each) => Number(each.slice(0, 4)))].map(([year, daysOfYear]) =>
      database.client.send(
        new PutCommand({
          TableName: "rows",
          Item: { ...yearKey(project, year), n: new Set(daysOfYear.map(numberOfDay)) },
        }),
      ),
    ),
  );

const trace = (at: string) => ({ trace_id: randomUUID(), name: "a trace", started_at: `${at}T10:00:00+00:00` });

const namesOf = (listed: readonly TraceDay[]): readonly string[] => listed.map(({ day }) => day);

const listOf = async (...list: Parameters<TraceDays["list"]>) => namesOf(await traceDays(database).list(...list));

const collect = async (groups: AsyncGenerator<readonly TraceDay[]>): Promise<readonly (readonly string[])[]> => {
  const batches: (readonly string[])[] = [];
  for await (const group of groups) batches.push(namesOf(group));
  return batches;
};

test("a project can have 45,000 days", async () => {
  const project = randomUUID();
  const listedDays = days(45_000);
  await listByYear(project, listedDays);

  await traceStore(database, 0).save(project, trace("2026-11-21"));

  expect(await listOf(project, true)).toEqual(["2026-11-21", ...listedDays]);
  expect((await collect(traceDays(database).newest(project))).flat()).toEqual(["2026-11-21", ...listedDays]);
});

test("a day is listed once whichever process adds it, the first and last days of leap years too", async () => {
  const project = randomUUID();
  const listedDays = ["2028-12-31", "2028-01-01", "2028-02-29", "2027-12-31", "2027-01-01", "2000-02-29"];

  for (const process of [traceDays(database), traceDays(database)]) {
    for (const each of listedDays) await process.add(project, each);
  }

  expect(await listOf(project, true)).toEqual(listedDays.toSorted().toReversed());
});

test("a process's first trace of a day costs one small write, however many days are listed", async () => {
  const cost = async (count: number): Promise<readonly string[]> => {
    const project = randomUUID();
    await listByYear(project, days(count));
    const watched = watchedDatabase(database);
    await traceDays(watched).add(project, day(0));
    return watched.calls.map(({ operation }) => operation);
  };

  expect(await cost(365)).toEqual(["UpdateItem"]);
  expect(await cost(3_650)).toEqual(["UpdateItem"]);
});

test("a list of a range reads no earlier years, and a page of the newest days reads only their years", async () => {
  const project = randomUUID();
  await listByYear(project, days(3_650));
  const newest = traceDays(database).newest(project);

  const takeCapacity = countCapacity(database);

  const first = await newest.next();
  const forNewest = takeCapacity().read;
  await newest.return(undefined);
  const range = { from: "2025-12-30T23:00:00+00:00", to: "2026-01-02T00:00:00+00:00" };
  const inRange = await listOf(project, true, range);
  const forRange = takeCapacity().read;

  expect(first.value?.at(-1)?.day).toBe("2024-01-01");
  expect(inRange).toEqual(["2026-01-02", "2026-01-01", "2025-12-31", "2025-12-30"]);
  // Two of ten years are read, the second time with strong consistency.
  expect([forNewest, forRange]).toEqual([0.5, 1]);
});

test("days of earlier years come after those of later years", async () => {
  const project = randomUUID();
  const listedDays = ["2026-05-01", "2025-05-01", "2024-05-01", "2023-05-01", "2022-05-01"];
  await listByYear(project, [...listedDays, "2026-06-01", "2023-06-01", "2020-01-01"]);

  expect(await collect(traceDays(database).newest(project))).toEqual([
    ["2026-06-01", "2026-05-01", "2025-05-01", "2024-05-01"],
    ["2023-06-01", "2023-05-01", "2022-05-01", "2020-01-01"],
  ]);
});

test("pages span years in both orders, and the last one gives the exact total", async () => {
  const project = randomUUID();
  const starts = ["2026-11-20", "2026-01-01", "2025-12-31", "2024-02-29", "2021-07-01", "2019-07-01", "2000-01-01"];
  const traces = traceStore(database, 0);
  for (const at of starts) await traces.save(project, trace(at));
  const list = traceList(database);
  const page = async (order: "asc" | "desc", limit: number, offset: number) => {
    const query = { filter: traceFilter({}), sortBy: "started_at", order, limit, offset } as const;
    const { rows, total } = await list.list(project, query);
    return { days: rows.map(({ startedAt }) => startedAt.slice(0, 10)), total };
  };

  expect(await page("desc", 10, 0)).toEqual({ days: starts, total: 7 });
  expect(await page("desc", 3, 5)).toEqual({ days: starts.slice(5), total: 7 });
  expect(await page("asc", 10, 1)).toEqual({ days: starts.toReversed().slice(1), total: 7 });
  expect((await page("desc", 2, 1)).days).toEqual(starts.slice(1, 3));
});

test("days are removed from the list", async () => {
  const project = randomUUID();
  await listByYear(project, days(400));

  await traceDays(database).remove(project, days(400).slice(1));

  expect(await listOf(project, true)).toEqual([day(0)]);
  await traceDays(database).remove(project, [day(0)]);
  expect(await listOf(project, true)).toEqual([]);
});

test("a busy day that was removed from the list is quiet when it is listed again", async () => {
  const project = randomUUID();
  const wasBusy = [
    await traceDays(database).add(project, day(0), true),
    await traceDays(database).add(project, day(0)),
  ];

  await traceDays(database).remove(project, [day(0)]);

  expect([...wasBusy, await traceDays(database).add(project, day(0))]).toEqual([true, true, false]);
});

test("a day is listed before its first row is written", async () => {
  const project = randomUUID();
  const failing = watchedDatabase(database, ({ operation, input }) =>
    operation === "UpdateItem" && input["TableName"] === "rows" ? "crash-before" : null,
  );

  await expect(traceStore(failing, 0).save(project, trace("2026-11-20"))).rejects.toThrow("The process has died.");

  expect(failing.calls.some(isOn("PutItem", "rows"))).toBe(false);
});
