import { randomUUID } from "node:crypto";
import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { differencesOf, repairUnchanged } from "../../../lib/store/audit/totals.ts";
import { counterTotals } from "../../../lib/store/totals/counter-totals.ts";
import { facetChecks } from "../../../lib/store/totals/facet-check.ts";
import { runCountsPartition } from "../../../lib/store/totals/facets.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const counter = "all#COMPLETED#-#";
const putPartialSum = (pk: string, shard: string, n: number) =>
  database.client.send(new PutCommand({ TableName: "aggregates", Item: { pk, sk: counter + shard, n } }));

test.each([
  { change: "of a stream shard", stored: ["shard"], changed: "shard" },
  { change: "of earlier repairs", stored: ["shard", "base"], changed: "base" },
  { change: "of the first repair", stored: ["shard"], changed: "base" },
])("a repair is refused after a change of the partial sum $change", async ({ stored, changed }) => {
  const pk = randomUUID();
  for (const shard of stored) await putPartialSum(pk, shard, 2);
  const totals = counterTotals(database, pk, () => true);
  const differences = differencesOf(totals, await totals.read(), new Map([[counter, { n: 7 }]]));
  const Key = { pk, sk: counter + changed };
  const change = { UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": 1 } };
  await database.client.send(new UpdateCommand({ TableName: "aggregates", Key, ...change }));

  const repaired = await repairUnchanged(database, totals, differences, () => differences[0]?.fingerprint);

  const { Item } = await database.client.send(new GetCommand({ TableName: "aggregates", Key }));
  expect([differences.length, repaired, Item?.["n"]]).toEqual([1, 0, stored.includes(changed) ? 3 : 1]);
});

test("a noted difference is processed by one worker, once", async () => {
  const [project, clock] = [randomUUID(), { now: Date.now() }];
  const list = { name: "runs", partition: runCountsPartition, pages: async function* () {} } as const;
  await putPartialSum(runCountsPartition(project), "shard", 2);
  const checks = facetChecks(database, [list], () => clock.now);
  const dueNotes = async () => {
    const notes = [];
    for await (const note of checks.due()) notes.push(note);
    return notes;
  };
  await checks.check(project, Number.POSITIVE_INFINITY);
  clock.now += 600_000;
  const [note, ...otherNotes] = await dueNotes();
  if (note === undefined) throw new Error("There is no note.");
  clock.now += 1;

  const claims = [await checks.claim(note), await checks.claim(note)];

  expect([claims, otherNotes, await dueNotes()]).toEqual([[true, false], [], []]);
});
