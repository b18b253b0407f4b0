import type { Experiment, ExperimentReference, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import { batchWrite } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { packExperiment, packExperimentTrace, unpackExperiment, unpackExperimentTrace } from "./codec.ts";
import {
  experimentKey,
  experimentPartition,
  experimentScoresPartition,
  experimentsOf,
  experimentTraceKey,
} from "./keys.ts";

/** A trace that names an experiment, as it is after a change; `trace` is null if it was removed, or names another one now. */
export interface ExperimentChange {
  readonly project: string;
  readonly experiment: ExperimentReference;
  readonly traceId: string;
  readonly trace: ExperimentTrace | null;
  /** Epoch seconds after which the trace is gone; absent if it never expires. */
  readonly expiresAt?: number | undefined;
}

/** Experiments that this process has stored, at most. */
const maxKnown = 10_000;

/** Store of experiments, which consist of the traces that name them. */
export const experimentStore = (database: Database) => {
  const stored = itemsOf(database, "aggregates");
  const known = new Set<string>();

  const register = async (project: string, { id, name, dataset }: ExperimentReference, startedAt: string) => {
    const key = `${project} ${id}`;
    if (known.has(key)) return;
    const experiment = { id, projectId: project, name, dataset, startedAt };
    await ifConditionHolds(
      stored.put({ ...experimentKey(project, id), ...packExperiment(experiment) }, { when: ifAbsent }),
    );
    if (known.size >= maxKnown) known.clear();
    known.add(key);
  };

  return {
    /** Stores changes of traces in their order, one write each; a repetition of them ends in the same state. */
    follow: async (changes: readonly ExperimentChange[]): Promise<void> => {
      const last = new Map<string, ExperimentChange & { readonly key: { readonly pk: string; readonly sk: string } }>();
      for (const change of changes) {
        const { project, experiment, traceId } = change;
        const key = experimentTraceKey(project, experiment.id, experiment.itemId, traceId);
        last.set(`${key.pk} ${key.sk}`, { ...change, key });
      }
      for (const { project, experiment, trace } of last.values())
        if (trace !== null) await register(project, experiment, trace.startedAt);
      await batchWrite(
        database,
        "aggregates",
        Array.from(last.values(), ({ key, trace, expiresAt }) =>
          trace === null
            ? { DeleteRequest: { Key: key } }
            : {
                PutRequest: {
                  Item: {
                    ...key,
                    ...packExperimentTrace(trace),
                    ...(expiresAt !== undefined && { ttl: expiresAt }),
                  },
                },
              },
        ),
      );
    },

    /** Lists a project's experiments, in no particular order; may lag by seconds. */
    list: async (project: string): Promise<readonly Experiment[]> =>
      (await stored.list({ ...experimentsOf(project), strongly: false })).map(unpackExperiment),

    /** Reads an experiment; null when there is none. */
    get: async (project: string, id: string): Promise<Experiment | null> => {
      const item = await stored.get(experimentKey(project, id), { strongly: false });
      return item === undefined ? null : unpackExperiment(item);
    },

    /** Lists the traces of an experiment, item by item; may lag by seconds. */
    traces: async (project: string, id: string, now = Date.now()): Promise<readonly ExperimentTrace[]> =>
      (await stored.list({ pk: experimentPartition(project, id), strongly: false }))
        .filter(({ ttl }) => typeof ttl !== "number" || ttl * 1000 > now)
        .map(unpackExperimentTrace),
  };
};

/** Erases a project's experiments with their scores. */
export const eraseExperiments = (database: Database): Erase =>
  async function* (project) {
    for await (const { sk } of itemsOf(database, "aggregates").query(experimentsOf(project)))
      yield* erasePartition(database, "aggregates", experimentPartition(project, String(sk)));
    yield* erasePartition(database, "aggregates", experimentScoresPartition(project));
    yield* erasePartition(database, "aggregates", experimentsOf(project).pk);
  };
