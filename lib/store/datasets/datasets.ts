import * as v from "valibot";
import { maxDatasetBytes, maxDatasets, type Dataset } from "../../domain/datasets/dataset.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { instantAt } from "../../domain/instant.ts";
import { Refusal } from "../../domain/refusal.ts";
import { canonicalUuid, uuidPattern } from "../../domain/text.ts";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems, keyPages } from "../../dynamo/erase-items.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwUnavailable, tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import { packDataset, unpackDataset, type StoredDataset } from "./codec.ts";
import { datasetCountKey, datasetKey, datasetNameKey, datasetsOf, itemPartitions, itemPlaces } from "./keys.ts";

const nameItem = v.object({ id: v.string() });

const nameTaken = (name: string): Refusal =>
  new Refusal({ kind: "conflict", detail: `The project already has a dataset named "${name}".` });

const tooMany = (): Refusal =>
  new Refusal({ kind: "forbidden", detail: `A project has at most ${maxDatasets} datasets. Delete a dataset first.` });

const tooLarge = (): Refusal =>
  new Refusal({ kind: "too-large", detail: `The dataset is larger than ${maxDatasetBytes / 1024} KB.` });

/** @throws Refusal `too-large` */
const checkedDataset = (...parts: Parameters<typeof packDataset>) => {
  const attributes = packDataset(...parts);
  if (Buffer.byteLength(attributes.d) > maxDatasetBytes) throw tooLarge();
  return attributes;
};

const busy = throwUnavailable("The dataset is being changed by many requests. Try again.");

/** Store of the datasets of projects; `itemStore` has their items. */
export const datasetStore = (database: Database, now: () => number = Date.now) => {
  const stored = itemsOf(database, "monitors");

  const read = async (project: string, id: string): Promise<StoredDataset | null> => {
    const item = await stored.get(datasetKey(project, id));
    return item === undefined ? null : unpackDataset(item);
  };

  const get = async (project: string, id: string): Promise<Dataset | null> => {
    const existing = await read(project, id);
    return existing === null || existing.isDeleted ? null : existing.dataset;
  };

  const named = async (project: string, name: string): Promise<Dataset | null> => {
    const item = await stored.get(datasetNameKey(project, name));
    return item === undefined ? null : get(project, v.parse(nameItem, item).id);
  };

  return {
    /** Reads a dataset, strongly consistent; null when there is none. */
    get,

    /** Reads the dataset with a name, strongly consistent; null when there is none. */
    named,

    /** Reads the dataset that a trace names, by its id or its name; null when there is none. */
    find: async (project: string, idOrName: string): Promise<Dataset | null> => {
      const byId = uuidPattern.test(idOrName) ? await get(project, canonicalUuid(idOrName)) : null;
      return byId ?? named(project, idOrName);
    },

    /** Lists a project's datasets, in no particular order, strongly consistent. */
    list: async (project: string): Promise<readonly Dataset[]> =>
      (await stored.list(datasetsOf(project)))
        .map(unpackDataset)
        .flatMap(({ dataset, isDeleted }) => (isDeleted ? [] : [dataset])),

    /**
     * Stores a new dataset without items.
     *
     * @returns the stored dataset; for a repeated request the existing one.
     * @throws Refusal `conflict` if the name is taken, `forbidden` if the project has its maximum, `too-large`; and those of `repeat.checkReplay`.
     */
    create: async (dataset: Dataset, repeat: IdempotencyCheck = noIdempotency): Promise<Dataset> => {
      const { projectId: project, id, settings } = dataset;
      const writes = [
        { put: { ...datasetKey(project, id), ...checkedDataset(dataset, repeat.bodyHash, 1), n: 0 }, when: ifAbsent },
        { put: { ...datasetNameKey(project, settings.name), id }, when: ifAbsent },
        {
          update: datasetCountKey(project),
          change: "ADD n :one",
          when: "attribute_not_exists(n) OR n < :most",
          values: { ":one": 1, ":most": maxDatasets },
        },
      ];
      return withRetries(requestRetryPolicy, busy, async () => {
        const failedWrites = await failedConditions(stored.transact(writes));
        if (failedWrites.size === 0) return dataset;
        const existing = await read(project, id);
        if (existing !== null) {
          repeat.checkReplay(existing.bodyHash);
          return existing.dataset;
        }
        if (failedWrites.has(1)) throw nameTaken(settings.name);
        if (failedWrites.has(2)) throw tooMany();
        return tryAgain;
      });
    },

    /**
     * Changes the settings or the approved experiment of a dataset. `change` is called again when another writer was faster.
     *
     * @returns the changed dataset; null when it does not exist.
     * @throws Refusal `conflict` if the new name is taken, `too-large`.
     */
    change: (
      project: string,
      id: string,
      change: (dataset: Dataset) => Pick<Dataset, "settings" | "approvedExperiment">,
    ): Promise<Dataset | null> =>
      withRetries(requestRetryPolicy, busy, async () => {
        const before = await read(project, id);
        if (before === null || before.isDeleted) return null;
        const { settings, approvedExperiment } = change(before.dataset);
        const dataset = { ...before.dataset, settings, approvedExperiment, updatedAt: instantAt(now()) };
        const { d, rev } = checkedDataset(dataset, before.bodyHash, before.revision + 1);
        const [oldName, newName] = [before.dataset.settings.name, settings.name];
        const failedWrites = await failedConditions(
          stored.transact([
            {
              update: datasetKey(project, id),
              change: "SET d = :d, rev = :rev",
              when: "rev = :before",
              values: { ":d": d, ":rev": rev, ":before": before.revision },
            },
            ...(oldName === newName
              ? []
              : [
                  { put: { ...datasetNameKey(project, newName), id }, when: ifAbsent },
                  { remove: datasetNameKey(project, oldName) },
                ]),
          ]),
        );
        if (failedWrites.has(1) && !failedWrites.has(0)) throw nameTaken(newName);
        return failedWrites.size === 0 ? dataset : tryAgain;
      }),

    /**
     * Deletes a dataset with its items. Nobody reads it from the first write on; a call that ends early is continued by the next one.
     *
     * @returns false when it does not exist.
     */
    delete: async (project: string, id: string): Promise<boolean> => {
      const existing = await withRetries(requestRetryPolicy, busy, async () => {
        const before = await read(project, id);
        // The name that is freed below is the last one: after the mark nobody changes it.
        if (before !== null && !before.isDeleted)
          await stored.update(datasetKey(project, id), "SET x = :true, rev = rev + :one", {
            when: "rev = :before",
            values: { ":true": true, ":one": 1, ":before": before.revision },
          });
        return before;
      });
      if (existing === null) return false;
      for (const partition of itemPartitions(project, id))
        for await (const keys of keyPages(database, "monitors", partition)) {
          await eraseItems(database, "monitors", itemPlaces(project, id, keys));
          await eraseItems(database, "monitors", keys);
        }
      await failedConditions(
        stored.transact([
          { remove: datasetKey(project, id), when: "attribute_exists(pk)" },
          { remove: datasetNameKey(project, existing.dataset.settings.name) },
          { update: datasetCountKey(project), change: "ADD n :minus", values: { ":minus": -1 } },
        ]),
      );
      return true;
    },
  };
};
