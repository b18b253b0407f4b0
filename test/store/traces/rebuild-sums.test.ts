import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { neverExpires } from "../../../lib/dynamo/expiry.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { mainKey } from "../../../lib/store/hours/items.ts";
import { countsPartition } from "../../../lib/store/traces/counts.ts";
import { sumRebuild } from "../../../lib/maintenance/rebuild-sums.ts";
import { sumSampler } from "../../../lib/maintenance/sample-sums.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { analyticsWorld } from "./analytics-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const minute = 60_000;

test("a rebuild checks every hour of a project and recomputes wrong ones; the sweeper repairs its counters", async () => {
  const { project, clock, save, settle, figures, total } = analyticsWorld(database);
  await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(project) }));
  const starts = ["2026-09-29T23:10:00+00:00", "2026-10-01T00:00:00+00:00", "2026-10-01T10:00:00+00:00"];
  await save(...starts.map((started_at) => someTrace({ started_at })));
  await settle();
  clock.now += 90 * minute;
  const range = ["2026-09-29T00:00:00+00:00", "2026-10-02T00:00:00+00:00"] as const;
  const right = await figures(...range);
  for (const hour of ["2026-09-29T23", "2026-10-01T10"]) {
    const Key = mainKey({ project, hour, expiry: neverExpires });
    await database.client.send(new UpdateCommand({ TableName: "aggregates", Key, UpdateExpression: "REMOVE t" }));
  }
  await database.client.send(
    new UpdateCommand({
      TableName: "aggregates",
      Key: { pk: countsPartition(project), sk: "total#shard" },
      UpdateExpression: "ADD n :by",
      ExpressionAttributeValues: { ":by": 5 },
    }),
  );
  const lines: string[] = [];

  const { result } = await publishedLines(() =>
    sumRebuild(database, () => clock.now)(project, (line) => lines.push(line)),
  );
  const sample = sumSampler(database, () => clock.now);
  const first = await sample(60_000);
  clock.now += 11 * minute;
  const second = await sample(60_000);

  expect(await result).toMatchObject({ hours: 3, wrongHours: 2, doubtfulLists: 0 });
  expect(await figures(...range)).toEqual(right);
  expect([first.doubtfulCounts, second.wrongCounts, await total()]).toEqual([1, 1, 3]);
  expect(lines).toContain("hours of 2026-09-29");
});
