import type { Dataset } from "../../domain/datasets/dataset.ts";
import type { Experiment, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import type { ItemTrace, ItemValue } from "../../domain/experiments/items.ts";
import { notFound } from "../../domain/refusal.ts";
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

/** Returns the value of a trace for a metric from its newest score. */
const valueOf = (newest: NewestScore | null): ItemValue => {
  if (newest === null || newest.failure !== null || newest.score === null) return { kind: "unjudged" };
  const { number, applicable, passed } = newest.score;
  if (applicable === false) return { kind: "inapplicable" };
  return number === null ? { kind: "unjudged" } : { kind: "value", value: number, passed };
};

/** Returns the functions that read experiments. */
export const experimentReader = (database: Database) => {
  const [experiments, scores] = [experimentStore(database), newestScores(database)];
  const [datasets, items, own] = [datasetStore(database), itemStore(database), experimentScores(database)];

  const targetsOf = (project: string, traces: readonly ExperimentTrace[]) =>
    traces.map(({ traceId, incarnation }) => ({ project, target: "trace", id: traceId, incarnation }) as const);

  /** Returns the dataset that the traces of an experiment name, by its id or its name; null if it is unknown here. */
  const datasetOf = async ({ projectId: project, dataset: name }: Experiment): Promise<Dataset | null> =>
    name === null ? null : datasets.find(project, name);

  return {
    list: experiments.list,

    /** Reads an experiment with its traces. @throws Refusal `not-found` */
    read: async (project: string, id: string): Promise<ReadExperiment> => {
      const [experiment, traces] = await Promise.all([experiments.get(project, id), experiments.traces(project, id)]);
      if (experiment === null) throw notFound(`Experiment ${id} not found.`);
      return { experiment, traces };
    },

    /** Returns the values of an experiment's traces for one metric. */
    values: async (
      project: string,
      traces: readonly ExperimentTrace[],
      metric: string,
    ): Promise<readonly ItemTrace[]> => {
      const newest = await scores.named(targetsOf(project, traces), metric);
      return traces.map(({ traceId, itemId }, at) => ({ traceId, itemId, value: valueOf(newest[at] ?? null) }));
    },

    /** Returns all newest scores of some traces. */
    scores: (project: string, traces: readonly ExperimentTrace[]) => scores.of(targetsOf(project, traces)),

    /** Returns the scores of an experiment as a whole. */
    ownScores: ({ projectId, id }: Experiment) => own.list(projectId, id),

    /** Returns the id of the experiment that the dataset of another one has approved; null without one. */
    approvedOf: async (experiment: Experiment): Promise<string | null> =>
      (await datasetOf(experiment))?.approvedExperiment ?? null,

    /** Returns the ids of the items that the dataset of an experiment had when it began; none for a dataset that is unknown here. */
    expectedItems: async ({ experiment, traces }: ReadExperiment): Promise<readonly string[]> => {
      const dataset = await datasetOf(experiment);
      if (dataset === null) return [];
      const startedAt = traces.reduce(
        (first, each) => (each.startedAt < first ? each.startedAt : first),
        experiment.startedAt,
      );
      return (await items.entries(dataset.projectId, dataset.id, startedAt)).map(({ id }) => id);
    },
  };
};
