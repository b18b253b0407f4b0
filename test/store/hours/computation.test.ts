import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { documentUsagePartition } from "../../../lib/store/hours/document-usage.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, watchedDatabase } from "../../support/database/watched-database.ts";
import { analyticsWorld, type AnalyticsWorld } from "../traces/analytics-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hour = "2026-10-01T10";
const theDay = ["2026-10-01T00:00:00+00:00", "2026-10-02T00:00:00+00:00"] as const;
const models = 120;

/** A trace whose row has no room for what each of its models used: its document is needed. */
const wide = (prefix: string): IdentifiedTrace => ({
  trace_id: randomUUID(),
  name: "agent",
  started_at: `${hour}:00:00+00:00`,
  spans: Array.from({ length: models }, (_, number) => ({
    span_id: randomUUID(),
    name: "call",
    model: `${prefix}-${"m".repeat(80)}-${number}`,
    started_at: `${hour}:00:00+00:00`,
    token_usage: { prompt_tokens: 1 },
  })),
});

const isDocument = isOn("Query", "bodies");

/** A worker's connection on which every document takes a second of its clock, and which notes how many are read at once. */
const slowDocuments = (world: AnalyticsWorld) => {
  let [underWay, most, read] = [0, 0, 0];
  const { client, table } = watchedDatabase(database, async (call) => {
    if (!isDocument(call)) return null;
    world.clock.now += 1_000;
    read += 1;
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => void setTimeout(resolve, 5));
    underWay -= 1;
    return null;
  });
  const now = (): number => world.clock.now;
  return {
    rollups: hourRollups({ client, table }, now),
    now,
    most: () => most,
    /** Documents since it was asked last. */
    read: () => {
      const before = read;
      read = 0;
      return before;
    },
  };
};

const remembered = async ({ project }: AnalyticsWorld): Promise<number> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "aggregates",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": documentUsagePartition(project) },
      ConsistentRead: true,
    }),
  );
  return Items.length;
};

test("an hour whose documents take longer than its turn goes on where it ended, and is exact in the end", async () => {
  const world = analyticsWorld(database);
  await world.save(...Array.from({ length: 20 }, (_, number) => wide(String(number % 3))));
  const key = { project: world.project, hour, expiry: "-" };
  const { rollups, now, most, read } = slowDocuments(world);

  const turns: boolean[] = [];
  while (!turns.includes(true) && turns.length < 10) turns.push(await rollups.refresh(key, now() + 7_000));

  expect(turns.length).toBeGreaterThan(2);
  expect(turns.at(-1)).toBe(true);
  // None is read twice, and no more than four lie in memory.
  expect(read()).toBe(20);
  expect(most()).toBe(4);
  expect(await world.usage(...theDay)).toMatchObject([{ prompt_tokens: 20 * models }]);
  expect((await world.models(...theDay))[0]).toMatchObject({ call_count: 7 });
});

test("the next computation of an hour reads the documents that have changed, and forgets those that are gone", async () => {
  const world = analyticsWorld(database);
  const [changed, gone, ...others] = [wide("a"), wide("b"), wide("c"), wide("d")] as const;
  await world.save(changed, gone, ...others);
  const key = { project: world.project, hour, expiry: "-" };
  const { rollups, read } = slowDocuments(world);
  await rollups.refresh(key);
  const first = [read(), await remembered(world)];
  world.clock.now += 60_000;

  await world.save({ ...changed, spans: wide("e").spans });
  await world.remove(gone.trace_id);
  await rollups.refresh(key);

  expect(first).toEqual([4, 4]);
  expect([read(), await remembered(world)]).toEqual([1, 3]);
  expect(await world.usage(...theDay)).toMatchObject([{ prompt_tokens: 4 * models }]);

  for (const { trace_id } of [changed, ...others]) await world.remove(trace_id);
  world.clock.now += 60_000;
  await rollups.refresh(key);
  expect([read(), await remembered(world)]).toEqual([0, 0]);
});
