import type { ExperimentTrace } from "../../domain/experiments/experiment.ts";

/** Partition of a project's experiments. */
const experimentsPartition = (project: string): string => `${project}#experiments`;

export const experimentKey = (project: string, experiment: string) => ({
  pk: experimentsPartition(project),
  sk: experiment,
});

/** Query for the experiments of a project. */
export const experimentsOf = (project: string) => ({ pk: experimentsPartition(project) });

/** Partition of the traces of an experiment. */
export const experimentPartition = (project: string, experiment: string): string =>
  `${project}#experiment#${experiment}`;

/**
 * Key of a trace of an experiment: the traces of an item lie together. Start and incarnation are those of the trace's row, so that changes of
 * one row, which alone come in their order, are those of one item.
 */
export const experimentTraceKey = (
  project: string,
  experiment: string,
  {
    itemId,
    traceId,
    startedAt,
    incarnation,
  }: Pick<ExperimentTrace, "itemId" | "traceId" | "startedAt" | "incarnation">,
) => ({
  pk: experimentPartition(project, experiment),
  sk: [itemId ?? "", traceId, startedAt, incarnation].join("#"),
});

/** Partition of the scores that a project's experiments have of their own: they may be known before the experiment is. */
export const experimentScoresPartition = (project: string): string => `${project}#experiment-scores`;

export const experimentScoreKey = (project: string, experiment: string, score: string) => ({
  pk: experimentScoresPartition(project),
  sk: `${experiment}#${score}`,
});

/** Key of the number of an experiment's own scores, beside them. */
export const experimentScoreCountKey = (project: string, experiment: string) => ({
  pk: experimentScoresPartition(project),
  sk: experiment,
});
