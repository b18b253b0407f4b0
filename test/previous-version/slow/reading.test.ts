import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { withoutBackgroundWork, withFunctionsOf, functionIds } from "../assemblies.ts";
import { extendedItems, foreignItems } from "../extend-items.ts";
import { previousItems, unpackData } from "../fixture-files.ts";
import type { Place } from "../people.ts";
import { openAsLeft, previousAssembly, todaysAssembly, workDirectory } from "../opened.ts";
import { replayReads } from "../replayed.ts";
import { tablesOf } from "../stack.ts";
import { putItems, readItems } from "../table-items.ts";

/** Connects to the tables of a stack. */
const databaseOf = ({ stack }: Place) => {
  const client = new DynamoDBClient(localClient(stack.endpoints.DYNAMODB));
  return { client, tables: tablesOf(stack) };
};

/** Adds an unknown field to every object in a JSON file. */
const extendFile = (path: string): void => {
  const text = readFileSync(path, "utf8");
  const extended: unknown = JSON.parse(text, (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, later: 1 } : value,
  );
  writeFileSync(path, JSON.stringify(extended));
};

describe("data of the previous version, opened by this version", () => {
  let work: string;
  let place: Place;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "assay-reading-"));
    const directory = join(work, "data");
    unpackData(directory);
    place = await openAsLeft({ directory, work, assembly: withoutBackgroundWork(todaysAssembly()) });
  });

  afterAll(async () => {
    await place.stack.close();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  });

  test("every recorded read has the same reply", async () => {
    const { requestCount: replayedCount, differences } = await replayReads(place);

    expect(replayedCount).toBeGreaterThan(200);
    expect(differences).toEqual([]);
  });

  test("every recorded read has the same reply after a later version has extended every item and added others", async () => {
    const { client, tables } = databaseOf(place);
    const items = await readItems(client, tables);
    await putItems(client, tables, extendedItems(items));
    await putItems(client, tables, foreignItems(items));
    const { differences } = await replayReads(place);
    client.destroy();

    expect(differences).toEqual([]);
  });
});

test("the previous version's functions read items and files extended by a later version, with any engine", async () => {
  const work = workDirectory();
  const directory = join(work, "data");
  unpackData(directory);
  for (const name of readdirSync(directory))
    if (name.endsWith(".json")) extendFile(join(directory, name));
    else rmSync(join(directory, name));
  const today = todaysAssembly();
  const { api, background } = functionIds(today);
  const assembly = withFunctionsOf(today, previousAssembly(work), [...api, ...background]);
  const place = await openAsLeft({ directory, work, assembly: withoutBackgroundWork(assembly) });
  onTestFinished(() => place.stack.close());
  const { client, tables } = databaseOf(place);

  await putItems(client, tables, extendedItems(previousItems()));
  const { requestCount: replayedCount, differences } = await replayReads(place);
  client.destroy();

  expect(replayedCount).toBeGreaterThan(200);
  expect(differences).toEqual([]);
});
