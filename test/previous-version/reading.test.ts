import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { localClient } from "../../infra/local/host/aws-client.ts";
import { quiet, withFunctionsOf, functionIds } from "./assemblies.ts";
import { extendedItems, foreignItems } from "./extend-items.ts";
import { previousItems, unpackData, withMicroseconds } from "./fixture-files.ts";
import type { Place } from "./people.ts";
import { openAsLeft, previousAssembly, todaysAssembly, workDirectory } from "./opened.ts";
import { replay } from "./replayed.ts";
import { tablesOf } from "./stack.ts";
import { putItems, readItems } from "./table-items.ts";

/** The tables of a stack. */
const databaseOf = ({ stack }: Place) => {
  const client = new DynamoDBClient(localClient(stack.endpoints.DYNAMODB));
  return { client, tables: tablesOf(stack) };
};

/** Adds a field that no version knows to every object of a JSON file, lists of them included. */
const extendFile = (path: string): void => {
  const text = readFileSync(path, "utf8");
  const extended: unknown = JSON.parse(text, (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, later: 1 } : value,
  );
  writeFileSync(path, JSON.stringify(extended));
};

describe("data of the previous version, opened by this one", () => {
  let work: string;
  let place: Place;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "assay-reading-"));
    const directory = join(work, "data");
    unpackData(directory);
    place = await openAsLeft({ directory, work, assembly: quiet(todaysAssembly()) });
  });

  afterAll(async () => {
    await place.stack.close();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  });

  test("everything that could be read is answered the same", async () => {
    const { asked, differences } = await replay(place);

    expect(asked).toBeGreaterThan(200);
    expect(differences).toEqual([]);
  });

  test("it is once a later version has added to every item, and put others beside it", async () => {
    const { client, tables } = databaseOf(place);
    const items = await readItems(client, tables);
    await putItems(client, tables, extendedItems(items));
    await putItems(client, tables, foreignItems(items));
    const { differences } = await replay(place);
    client.destroy();

    expect(differences).toEqual([]);
  });
});

test("the previous version's functions read, in any engine, items and files to which a later version has added", async () => {
  const work = workDirectory();
  const directory = join(work, "data");
  unpackData(directory);
  for (const name of readdirSync(directory))
    if (name.endsWith(".json")) extendFile(join(directory, name));
    else rmSync(join(directory, name));
  const today = todaysAssembly();
  const { api, background } = functionIds(today);
  const assembly = withFunctionsOf(today, previousAssembly(work), [...api, ...background]);
  const place = await openAsLeft({ directory, work, assembly: quiet(assembly) });
  onTestFinished(() => place.stack.close());
  const { client, tables } = databaseOf(place);

  await putItems(client, tables, extendedItems(previousItems()));
  // It writes times in its own form.
  const { asked, differences } = await replay(place, withMicroseconds);
  client.destroy();

  expect(asked).toBeGreaterThan(200);
  expect(differences).toEqual([]);
});
