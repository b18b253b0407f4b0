import type { Experiment, ExperimentReference, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import { batchWrite } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import { packExperimentTrace, unpackExperiment, unpackExperimentTrace } from "./codec.ts";
import {
  experimentKey,
  experimentPartition,
  experimentScoresPartition,
  experimentsOf,
  experimentTraceKey,
} from "./keys.ts";
import { experimentRegistry } from "./registry.ts";

/** A trace that names an experiment, as it is after a change, or as it was in a place that it no longer has. */
export interface ExperimentChange {
  readonly project: string;
  readonly experiment: ExperimentReference;
  readonly trace: ExperimentTrace;
  readonly isRemoved: boolean;
  /** Epoch seconds after which the trace is gone; undefined if it never expires. */
  readonly expiresAt: number | undefined;
}

/** Store of experiments, which consist of the traces that name them. */
export const experimentStore = (database: Database, now: () => number = Date.now) => {
  const stored = itemsOf(database, "aggregates");
  const registry = experimentRegistry(database, now);

  /** Returns the id of the experiment of a change; null if there is nothing to remove. */
  const idOf = async ({ project, experiment, trace, isRemoved, expiresAt }: ExperimentChange) =>
    isRemoved
      ? ((await registry.resolve(project, experiment, trace.startedAt, true))?.id ?? null)
      : await registry.register(project, experiment, { startedAt: trace.startedAt, expiresAt });

  return {
    resolve: registry.resolve,

    /** Stores changes of traces in their order, one write each; a repetition of them ends in the same state. */
    follow: async (changes: readonly ExperimentChange[]): Promise<void> => {
      const last = new Map<string, { readonly key: Item; readonly change: ExperimentChange }>();
      for (const change of changes) {
        const id = await idOf(change);
        if (id === null) continue;
        const key = experimentTraceKey(change.project, id, change.trace);
        last.set(`${key.pk} ${key.sk}`, { key, change });
      }
      await batchWrite(
        database,
        "aggregates",
        Array.from(last.values(), ({ key, change: { trace, isRemoved, expiresAt: ttl } }) =>
          isRemoved
            ? { DeleteRequest: { Key: key } }
            : { PutRequest: { Item: { ...key, ...packExperimentTrace(trace), ...(ttl !== undefined && { ttl }) } } },
        ),
      );
    },

    /** Lists a project's experiments, in no particular order; may lag by seconds. */
    list: async (project: string): Promise<readonly Experiment[]> =>
      (await stored.list({ ...experimentsOf(project), strongly: false }))
        .filter((item) => isLive(item, now()))
        .map(unpackExperiment),

    /** Reads an experiment; null when there is none. */
    get: async (project: string, id: string): Promise<Experiment | null> => {
      const item = await stored.get(experimentKey(project, id), { strongly: false });
      return item === undefined || !isLive(item, now()) ? null : unpackExperiment(item);
    },

    /** Lists the traces of an experiment, item by item; may lag by seconds. */
    traces: async (project: string, id: string): Promise<readonly ExperimentTrace[]> =>
      (await stored.list({ pk: experimentPartition(project, id), strongly: false }))
        .filter((item) => isLive(item, now()))
        .map(unpackExperimentTrace),
  };
};

/** Erases a project's experiments with their scores. */
export const eraseExperiments = (database: Database): Erase =>
  async function* (project) {
    for await (const { sk } of itemsOf(database, "aggregates").query({ ...experimentsOf(project), attributes: "sk" }))
      yield* erasePartition(database, "aggregates", experimentPartition(project, String(sk)));
    yield* erasePartition(database, "aggregates", experimentScoresPartition(project));
    yield* erasePartition(database, "aggregates", experimentsOf(project).pk);
  };
