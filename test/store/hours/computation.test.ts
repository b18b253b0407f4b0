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

/** A trace whose row has no room for the usage of all its models, so that its document must be read. */
const wideTrace = (prefix: string): IdentifiedTrace => ({
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

/** A worker's connection on which each document read takes a second of simulated time, with the total and the maximum of parallel reads. */
const slowDocuments = (world: AnalyticsWorld) => {
  let [parallelReads, maxParallelReads, readCount] = [0, 0, 0];
  const { client, table } = watchedDatabase(database, async (call) => {
    if (!isDocument(call)) return null;
    world.clock.now += 1_000;
    readCount += 1;
    parallelReads += 1;
    maxParallelReads = Math.max(maxParallelReads, parallelReads);
    await new Promise((resolve) => void setTimeout(resolve, 5));
    parallelReads -= 1;
    return null;
  });
  const now = (): number => world.clock.now;
  return {
    rollups: hourRollups({ client, table }, now),
    now,
    maxParallelReads: () => maxParallelReads,
    /** Returns the number of document reads since the previous call. */
    countReads: () => {
      const before = readCount;
      readCount = 0;
      return before;
    },
  };
};

const rememberedDocumentCount = async ({ project }: AnalyticsWorld): Promise<number> => {
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

test("an hour whose documents take longer than a turn is continued in the next turn, and is exact in the end", async () => {
  const world = analyticsWorld(database);
  await world.save(...Array.from({ length: 20 }, (_, number) => wideTrace(String(number % 3))));
  const key = { project: world.project, hour, expiry: "-" };
  const { rollups, now, maxParallelReads, countReads } = slowDocuments(world);

  const turns: boolean[] = [];
  while (!turns.includes(true) && turns.length < 10) turns.push(await rollups.refresh(key, now() + 7_000));

  expect(turns.length).toBeGreaterThan(2);
  expect(turns.at(-1)).toBe(true);
  // Each document is read once, and at most four are in memory.
  expect(countReads()).toBe(20);
  expect(maxParallelReads()).toBe(4);
  expect(await world.usage(...theDay)).toMatchObject([{ prompt_tokens: 20 * models }]);
  expect((await world.models(...theDay))[0]).toMatchObject({ call_count: 7 });
});

test("the next computation of an hour reads changed documents only, and forgets the usage of removed ones", async () => {
  const world = analyticsWorld(database);
  const [changedTrace, removedTrace, ...otherTraces] = [
    wideTrace("a"),
    wideTrace("b"),
    wideTrace("c"),
    wideTrace("d"),
  ] as const;
  await world.save(changedTrace, removedTrace, ...otherTraces);
  const key = { project: world.project, hour, expiry: "-" };
  const { rollups, countReads } = slowDocuments(world);
  await rollups.refresh(key);
  const first = [countReads(), await rememberedDocumentCount(world)];
  world.clock.now += 60_000;

  await world.save({ ...changedTrace, spans: wideTrace("e").spans });
  await world.remove(removedTrace.trace_id);
  await rollups.refresh(key);

  expect(first).toEqual([4, 4]);
  expect([countReads(), await rememberedDocumentCount(world)]).toEqual([1, 3]);
  expect(await world.usage(...theDay)).toMatchObject([{ prompt_tokens: 4 * models }]);

  for (const { trace_id } of [changedTrace, ...otherTraces]) await world.remove(trace_id);
  world.clock.now += 60_000;
  await rollups.refresh(key);
  expect([countReads(), await rememberedDocumentCount(world)]).toEqual([0, 0]);
});
