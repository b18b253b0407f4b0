import { experimentOf } from "../../domain/experiments/experiment.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Json } from "../../domain/json.ts";
import type { TraceProvenance } from "../../domain/traces/provenance.ts";
import type { Database } from "../../dynamo/database.ts";
import { experimentStore } from "../experiments/experiments.ts";
import { datasetStore } from "./datasets.ts";
import { itemStore } from "./items.ts";

/**
 * Returns a function that reads the expected output of the dataset's item which a trace names, as it was when the first trace of its
 * experiment started: null without an item, a known dataset or an expected output that says something. Where the stream has not registered the experiment
 * yet, the start of the trace counts.
 */
export const expectedOutputOf = (database: Database) => {
  const [experiments, datasets, items] = [experimentStore(database), datasetStore(database), itemStore(database)];
  return async (project: string, names: TraceProvenance, startedAt: Instant): Promise<Json> => {
    const reference = experimentOf(project, names);
    if (reference === null || reference.itemId === null || reference.dataset === null) return null;
    const [experiment, dataset] = await Promise.all([
      experiments.resolve(project, reference, startedAt),
      datasets.find(project, reference.dataset),
    ]);
    if (dataset === null) return null;
    const first = experiment === null || startedAt < experiment.startedAt ? startedAt : experiment.startedAt;
    const expected = (await items.get(project, dataset.id, reference.itemId, first))?.expectedOutput ?? null;
    return expected === "" ? null : expected;
  };
};
