import { uuidInProject } from "../../domain/access/identity.ts";
import type { Dataset } from "../../domain/datasets/dataset.ts";
import type { Experiment, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import type { ItemTrace, ItemValue } from "../../domain/experiments/items.ts";
import { maxScoredTraces } from "../../domain/experiments/rules.ts";
import { invalid, notFound } from "../../domain/refusal.ts";
import type { InapplicableCode } from "../../domain/scores/inapplicable.ts";
import type { NewestScore } from "../../domain/scores/newest-score.ts";
import type { Database } from "../../dynamo/database.ts";
import { datasetStore } from "../../store/datasets/datasets.ts";
import { itemStore } from "../../store/datasets/items.ts";
import { experimentScores } from "../../store/experiments/scores.ts";
import { experimentStore } from "../../store/experiments/experiments.ts";
import { newestScores } from "../../store/scores/newest.ts";

/** An experiment with its traces. */
export interface ReadExperiment {
  readonly experiment: Experiment;
  readonly traces: readonly ExperimentTrace[];
}

/** Values of traces by metric, in the order of the traces. */
type ValuesByMetric = ReadonlyMap<string, readonly ItemTrace[]>;

/** Names of scores that are read one by one, at half a read unit each; of more all scores of a trace are read together. */
const maxNames = 2;

const noScore: ItemValue = { kind: "unjudged", hasFailed: false };

/** Returns traces without a score. */
export const unjudged = (traces: readonly ExperimentTrace[]): readonly ItemTrace[] =>
  traces.map(({ traceId, itemId }) => ({ traceId, itemId, value: noScore }));

/** Returns the value of a trace for a metric from its newest score. Categories have no number, so that the metric is none of differences. */
const valueOf = (newest: NewestScore | null): ItemValue => {
  if (newest === null || newest.failure !== null || newest.score === null)
    return { kind: "unjudged", hasFailed: newest?.failure != null };
  const { number, applicable, inapplicable_code: code, passed, source, judge } = newest.score;
  return applicable === false || number === null
    ? { kind: "inapplicable", isEmpty: code === ("empty_output" satisfies InapplicableCode) }
    : { kind: "value", value: number, passed, judge: source === "AUTOMATED" ? (judge ?? "") : null };
};

/** Returns the cost of traces in US dollars, or the latency in milliseconds of those that have ended. */
export const measured = (traces: readonly ExperimentTrace[], measure: "cost" | "latency"): readonly ItemTrace[] =>
  traces.map(({ traceId, itemId, cost, latencyMilliseconds }) => {
    const value = measure === "cost" ? cost : latencyMilliseconds;
    return {
      traceId,
      itemId,
      value: value === null ? noScore : { kind: "value", value, passed: null },
    };
  });

export type ExperimentReader = ReturnType<typeof experimentReader>;

/** Returns the functions that read experiments. */
export const experimentReader = (database: Database) => {
  const [experiments, scores] = [experimentStore(database), newestScores(database)];
  const [datasets, items, wholeScores] = [datasetStore(database), itemStore(database), experimentScores(database)];

  const targetsOf = (project: string, traces: readonly ExperimentTrace[]) =>
    traces.map(({ traceId, incarnation }) => ({ project, target: "trace", id: traceId, incarnation }) as const);

  /** Returns the dataset that the traces of an experiment name, by its id or its name; null if it is unknown here. */
  const datasetOf = async ({ projectId: project, dataset: name }: Experiment): Promise<Dataset | null> =>
    name === null ? null : datasets.find(project, name);

  const readIfPresent = async (project: string, id: string): Promise<ReadExperiment | null> => {
    const [experiment, traces] = await Promise.all([experiments.get(project, id), experiments.traces(project, id)]);
    return experiment === null ? null : { experiment, traces };
  };

  /** Returns all newest scores of some traces. */
  const allScores = (project: string, traces: readonly ExperimentTrace[]) => scores.of(targetsOf(project, traces));

  return {
    list: experiments.list,
    allScores,
    datasetOf,

    readIfPresent,

    /**
     * Reads an experiment with its traces.
     *
     * @param sent id of the experiment, or the text that it is derived from.
     * @param role what the experiment is in the request, for the error.
     * @throws Refusal `not-found`
     */
    read: async (project: string, sent: string, role = "Experiment"): Promise<ReadExperiment> => {
      const read = await readIfPresent(project, uuidInProject(project, sent));
      if (read === null) throw notFound(`${role} ${sent} not found.`);
      return read;
    },

    /**
     * Reads the values of traces for some metrics, or for all that they have; may lag by seconds.
     *
     * @param loc path of the request field that names the metrics.
     * @throws Refusal `invalid` for more metrics than two of too many traces.
     */
    values: async (
      project: string,
      traces: readonly ExperimentTrace[],
      names: readonly string[] | null,
      loc: readonly string[] = ["query", "metric_name"],
    ): Promise<ValuesByMetric> => {
      const valuesBy = (newestOf: (at: number) => NewestScore | null | undefined): readonly ItemTrace[] =>
        traces.map(({ traceId, itemId }, at) => ({ traceId, itemId, value: valueOf(newestOf(at) ?? null) }));
      if (names !== null && names.length <= maxNames) {
        const read = async (name: string) => {
          const newest = await scores.named(targetsOf(project, traces), name);
          return [name, valuesBy((at) => newest[at])] as const;
        };
        return new Map(await Promise.all(names.map(read)));
      }
      if (traces.length > maxScoredTraces)
        throw invalid(loc, `Of more than ${maxScoredTraces} traces at most ${maxNames} metrics are read: name them`);
      const newest = (await allScores(project, traces)).map(
        (each) => new Map(each.map((score) => [score.name, score])),
      );
      // Names that have categories only are no metrics of differences.
      const measuring = newest.flatMap((each) =>
        [...each.values()].filter((score) => score.failure !== null || score.score?.data_type !== "CATEGORICAL"),
      );
      const all = names ?? [...new Set(measuring.map(({ name }) => name))].toSorted();
      return new Map(all.map((name) => [name, valuesBy((at) => newest[at]?.get(name))]));
    },

    /** Returns the scores of an experiment as a whole. */
    ownScores: ({ projectId, id }: Experiment) => wholeScores.list(projectId, id),

    /** Returns the ids of the items that the dataset of an experiment had when it began; none for a dataset that is unknown here. */
    expectedItems: async (experiment: Experiment): Promise<readonly string[]> => {
      const dataset = await datasetOf(experiment);
      if (dataset === null) return [];
      return (await items.entries(dataset.projectId, dataset.id, experiment.startedAt)).map(({ id }) => id);
    },
  };
};
