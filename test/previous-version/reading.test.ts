import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { localClient } from "../../infra/local/host/aws-client.ts";
import { quiet, withFunctionsOf, functionIds } from "./assemblies.ts";
import { extendedItems, foreignItems } from "./extend-items.ts";
import { previousItems, unpackData } from "./fixture-files.ts";
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

/** Patience for what takes two seconds on a quiet machine. */
const patience = 120_000;

test(
  "everything that could be read is answered the same, whatever a later version has added beside it",
  async () => {
    const work = workDirectory();
    const directory = join(work, "data");
    unpackData(directory);
    const place = await openAsLeft({ directory, work, assembly: quiet(todaysAssembly()) });
    onTestFinished(() => place.stack.close());
    const { client, tables } = databaseOf(place);

    const asLeft = await replay(place);
    const items = await readItems(client, tables);
    await putItems(client, tables, extendedItems(items));
    const extended = await replay(place);
    await putItems(client, tables, foreignItems(items));
    const withForeign = await replay(place);
    client.destroy();

    expect(asLeft.asked).toBeGreaterThan(250);
    expect(asLeft.differences).toEqual([]);
    expect(extended.differences).toEqual([]);
    expect(withForeign.differences).toEqual([]);
  },
  patience,
);

test(
  "the previous version's functions read items of any engine to which a later version has added, and so do files",
  async () => {
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
    const { asked, differences } = await replay(place);
    client.destroy();

    expect(asked).toBeGreaterThan(250);
    expect(differences).toEqual([]);
  },
  patience,
);
