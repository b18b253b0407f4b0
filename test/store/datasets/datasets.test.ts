import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { maxDatasets, type Dataset } from "../../../lib/domain/datasets/dataset.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { datasetStore } from "../../../lib/store/datasets/datasets.ts";
import { datasetCountKey } from "../../../lib/store/datasets/keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const someDataset = (projectId: string, name: string): Dataset => {
  const now = "2026-11-21T09:00:00+00:00";
  const settings = { name, description: null, metadata: {} };
  const fields = { itemCount: 0, approvedExperiment: null, createdAt: now, updatedAt: now };
  return { id: randomUUID(), projectId, settings, ...fields };
};

test("a project has at most its maximum of datasets, until one is deleted", async () => {
  const [project, store] = [randomUUID(), datasetStore(database)];
  const { id } = await store.create(someDataset(project, "first"));
  await itemsOf(database, "monitors").update(datasetCountKey(project), "SET n = :n", { values: { ":n": maxDatasets } });

  await expect(store.create(someDataset(project, "one too many"))).rejects.toMatchObject({
    reason: { kind: "forbidden" },
  });
  await store.delete(project, id);
  await store.create(someDataset(project, "another"));

  expect((await store.list(project)).map(({ settings }) => settings.name)).toEqual(["another"]);
});

test("a name is of one dataset, whether another one is created or renamed", async () => {
  const [project, store] = [randomUUID(), datasetStore(database)];
  const first = await store.create(someDataset(project, "first"));
  const second = await store.create(someDataset(project, "second"));
  const refusal = { reason: { kind: "conflict" } };

  await expect(store.create(someDataset(project, "first"))).rejects.toMatchObject(refusal);
  await expect(
    store.change(project, second.id, (each) => ({ ...each, settings: first.settings })),
  ).rejects.toMatchObject(refusal);
  expect((await store.named(project, "first"))?.id).toBe(first.id);
});

test("two requests that change a dataset at the same moment are both kept", async () => {
  const project = randomUUID();
  const { id } = await datasetStore(database).create(someDataset(project, "set"));
  const pause = pauseAt(({ operation }) => operation === "TransactWriteItems");
  const slow = datasetStore(watchedDatabase(database, pause.decide)).change(project, id, (each) => ({
    ...each,
    approvedExperiment: "experiment",
  }));
  await pause.reached;
  await datasetStore(database).change(project, id, (each) => ({
    ...each,
    settings: { ...each.settings, description: "Refunds." },
  }));
  pause.open();

  expect(await slow).toMatchObject({ approvedExperiment: "experiment", settings: { description: "Refunds." } });
});
