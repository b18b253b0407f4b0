import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { maxItems, type SentItem } from "../../../lib/domain/datasets/dataset.ts";
import type { Json } from "../../../lib/domain/json.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { datasetStore } from "../../../lib/store/datasets/datasets.ts";
import { eraseDatasets } from "../../../lib/store/datasets/erase.ts";
import { itemStore } from "../../../lib/store/datasets/items.ts";
import { datasetKey } from "../../../lib/store/datasets/keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const createNamed = async (project: string, name: string): Promise<string> => {
  const now = "2026-11-21T09:00:00+00:00";
  const settings = { name, description: null, metadata: {} };
  const fields = { itemCount: 0, approvedExperiment: null, createdAt: now, updatedAt: now };
  return (await datasetStore(database).create({ id: randomUUID(), projectId: project, settings, ...fields })).id;
};

const newDataset = async () => {
  const project = randomUUID();
  return { project, dataset: await createNamed(project, "set") };
};

const itemOf = (input: Json, id: string = randomUUID()): SentItem => ({
  id,
  externalId: null,
  input,
  expectedOutput: null,
  metadata: {},
  source: null,
});

const inputsOf = async (project: string, dataset: string) => {
  const items = itemStore(database);
  const entries = await items.entries(project, dataset);
  const revisions = entries.map(({ id, revisions: all }) => ({ id, revisedAt: all.at(-1) ?? "" }));
  return (await items.read(project, dataset, revisions)).map(({ input }) => input);
};

const countOf = async (project: string, dataset: string) =>
  (await datasetStore(database).get(project, dataset))?.itemCount;

/** Pauses a request before its first write. */
const pausedDatabase = () => {
  const pause = pauseAt(({ operation }) => operation.includes("Write"));
  return { pause, connection: watchedDatabase(database, pause.decide) };
};

const put = (
  connection: Database,
  { project, dataset }: { project: string; dataset: string },
  items: readonly SentItem[],
) => itemStore(connection).put(project, dataset, items);

test("a process that dies at any call of a request loses no item of it twice, and a repetition completes it", async () => {
  const place = await newDataset();
  const { project, dataset } = place;
  const sent = Array.from({ length: 120 }, (_, at) => itemOf(at));
  const changed = sent.map((item) => ({ ...item, expectedOutput: "answer" }));
  let deaths = 0;
  for (const items of [sent, changed]) {
    for (const kind of ["crash-before", "crash-after"] as const) {
      for (let call = 1, crashed = true; crashed; call += 1) {
        // Requests of batches ask twice.
        let calls = 0;
        const dying = faultyDatabase(database, () => ((calls += 1) >= call ? kind : null));
        await put(dying, place, items).catch(() => undefined);
        crashed = dying.crashed;
        deaths += crashed ? 1 : 0;
        expect(await countOf(project, dataset)).toBe((await inputsOf(project, dataset)).length);
      }
    }
  }

  expect(await inputsOf(project, dataset)).toEqual(sent.map(({ input }) => input));
  expect(await countOf(project, dataset)).toBe(120);
  expect(deaths).toBeGreaterThan(10);
});

test.each([
  ["a new", []],
  ["a known", ["first"]],
])("two requests that change %s item at the same moment both keep their revisions", async (_, earlier) => {
  const place = await newDataset();
  const { project, dataset } = place;
  const id = randomUUID();
  for (const input of earlier) await put(database, place, [itemOf(input, id)]);
  const { pause, connection } = pausedDatabase();
  const now = () => 1_895_251_600_000;
  const slow = itemStore(connection, now).put(project, dataset, [itemOf("slow", id)]);
  await pause.reached;
  await itemStore(database, now).put(project, dataset, [itemOf("fast", id)]);
  pause.open();
  await slow;

  const [entry] = await itemStore(database).entries(project, dataset);
  const read = await Promise.all(
    (entry?.revisions ?? []).map((revisedAt) => itemStore(database).read(project, dataset, [{ id, revisedAt }])),
  );

  expect(read.flat().map(({ input }) => input)).toEqual([...earlier, "fast", "slow"]);
  expect(await countOf(project, dataset)).toBe(1);
});

test("items of different requests at the same instant are in the order of their ids, as cursors take them to be", async () => {
  const { project, dataset } = await newDataset();
  const items = itemStore(database, () => 1_795_251_600_000);
  const digits = ["c", "1", "4", "2"];
  for (const digit of digits) await items.put(project, dataset, [itemOf(digit, digit + randomUUID().slice(1))]);

  expect(await inputsOf(project, dataset)).toEqual(digits.toSorted());
});

test("a change of one field is made again of an item that another request has changed meanwhile", async () => {
  const place = await newDataset();
  const { project, dataset } = place;
  const item = itemOf("question");
  await put(database, place, [item]);
  const { pause, connection } = pausedDatabase();
  const edit = (to: Database, fields: Partial<SentItem>) =>
    itemStore(to).edit(project, dataset, item.id, (before) => ({ ...item, ...before, ...fields }));
  const slow = edit(connection, { expectedOutput: "answer" });
  await pause.reached;
  await edit(database, { metadata: { team: "support" } });
  pause.open();

  expect(await slow).toMatchObject({ input: "question", expectedOutput: "answer", metadata: { team: "support" } });
});

test.each([
  ["dataset", async (project: string, dataset: string) => void (await datasetStore(database).delete(project, dataset))],
  [
    "project",
    async (project: string) => {
      for await (const _ of eraseDatasets(database)(project));
    },
  ],
])("a deleted %s keeps nothing of a request that was adding items", async (_, remove) => {
  const place = await newDataset();
  await put(database, place, [itemOf("before")]);
  const { pause, connection } = pausedDatabase();
  const adding = put(
    connection,
    place,
    Array.from({ length: 120 }, (__, at) => itemOf(at)),
  );
  await pause.reached;

  await remove(place.project, place.dataset);
  pause.open();

  expect(await adding).toBeNull();
  expect(await itemsNaming(database, [place.dataset])).toEqual([]);
});

test("a dataset that is renamed while it is being deleted leaves both names free", async () => {
  const { project, dataset } = await newDataset();
  const pause = pauseAt(({ operation }) => operation === "UpdateItem");
  const deletion = datasetStore(watchedDatabase(database, pause.decide)).delete(project, dataset);
  await pause.reached;
  await datasetStore(database).change(project, dataset, ({ settings, ...before }) => ({
    ...before,
    settings: { ...settings, name: "renamed" },
  }));
  const successor = await createNamed(project, "set");
  pause.open();

  expect(await deletion).toBe(true);
  expect(await datasetStore(database).named(project, "set")).toMatchObject({ id: successor });
  expect(await createNamed(project, "renamed")).toEqual(expect.any(String));
});

test("a request that would exceed the items of a dataset stores none, and one with known items is accepted", async () => {
  const place = await newDataset();
  const presentItems = Array.from({ length: 3 }, (_, at) => itemOf(at));
  await put(database, place, presentItems);
  await itemsOf(database, "monitors").update(datasetKey(place.project, place.dataset), "SET n = :n", {
    values: { ":n": maxItems - 110 },
  });
  const others = Array.from({ length: 111 }, (_, at) => itemOf(3 + at));

  await expect(put(database, place, [...presentItems, ...others])).rejects.toMatchObject({
    reason: { kind: "forbidden" },
  });
  expect(await inputsOf(place.project, place.dataset)).toEqual([0, 1, 2]);
  expect(await put(database, place, [...presentItems, ...others.slice(1)])).toHaveLength(113);
});

test("a request finds no room that another one has used since it looked", async () => {
  const place = await newDataset();
  await itemsOf(database, "monitors").update(datasetKey(place.project, place.dataset), "SET n = :n", {
    values: { ":n": maxItems - 1 },
  });
  const { pause, connection } = pausedDatabase();
  const slow = put(connection, place, [itemOf("slow")]);
  await pause.reached;
  await put(database, place, [itemOf("fast")]);
  pause.open();

  await expect(slow).rejects.toMatchObject({ reason: { kind: "forbidden" } });
  expect(await inputsOf(place.project, place.dataset)).toEqual(["fast"]);
});

test("a dataset takes no items from the first write of its deletion on, which a repetition completes", async () => {
  const place = await newDataset();
  const { project, dataset } = place;
  await put(database, place, [itemOf("before")]);
  const pause = pauseAt(({ operation }) => operation === "BatchWriteItem");
  const deleting = datasetStore(watchedDatabase(database, pause.decide)).delete(project, dataset);
  await pause.reached;

  expect(await put(database, place, [itemOf("late")])).toBeNull();
  expect(await datasetStore(database).get(project, dataset)).toBeNull();
  expect(await datasetStore(database).list(project)).toEqual([]);

  pause.open();
  await deleting;
  expect(await itemsNaming(database, [dataset])).toEqual([]);
});

test("a dataset takes no items while its project is being deleted", async () => {
  const place = await newDataset();
  await put(database, place, [itemOf("before")]);
  const added = [];
  for await (const _ of eraseDatasets(database)(place.project))
    added.push(await put(database, place, [itemOf("late")]));

  expect(added.length).toBeGreaterThan(3);
  expect(added.every((each) => each === null)).toBe(true);
  expect(await itemsNaming(database, [place.dataset])).toEqual([]);
});
