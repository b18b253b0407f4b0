import type {
  compareExperiments,
  getExperiment,
  listExperimentItems,
  listExperiments,
} from "../../contract/experiments/experiments.ts";
import { uuidInProject } from "../../domain/access/identity.ts";
import { comparedItems } from "../../domain/experiments/items.ts";
import { applyRule } from "../../domain/experiments/rules.ts";
import type { Database } from "../../dynamo/database.ts";
import { comparisonReply, experimentReply, experimentSummary } from "../../http/datasets/experiment-reply.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { pagedReply } from "../../http/paging.ts";
import { experimentReader } from "./read.ts";

/** Returns the functions that answer requests about experiments. */
export const experimentAnswers = (database: Database) => {
  const reader = experimentReader(database);

  return {
    list: async ({ project, query, paging }: HandlerRequest<typeof listExperiments>) => {
      const found = await reader.list(project.id);
      const newestFirst = found
        .filter(({ name }) => query.name === undefined || name === query.name)
        .toSorted((a, b) => (a.startedAt > b.startedAt ? -1 : 1));
      const page = pagedReply(paging, newestFirst, ({ startedAt, id }) => ({ key: startedAt, id }));
      return { ...page, items: page.items.map(experimentReply) };
    },

    get: async ({ project, params }: HandlerRequest<typeof getExperiment>) => {
      const read = await reader.read(project.id, uuidInProject(project.id, params.experiment_id));
      const [expected, scores] = await Promise.all([reader.expectedItems(read), reader.ownScores(read.experiment)]);
      return experimentSummary(read.experiment, read.traces, expected, scores);
    },

    items: async ({ project, params, paging }: HandlerRequest<typeof listExperimentItems>) => {
      const { traces } = await reader.read(project.id, uuidInProject(project.id, params.experiment_id));
      const groups = [...Map.groupBy(traces, ({ itemId }) => itemId)].map(([id, ofItem]) => ({ id, traces: ofItem }));
      const sorted = groups.toSorted((a, b) => ((a.id ?? "") < (b.id ?? "") ? -1 : 1));
      const page = pagedReply(paging, sorted, ({ id }) => ({ key: id ?? "", id: id ?? "" }), "asc");
      const scores = await reader.scores(
        project.id,
        page.items.flatMap((item) => item.traces),
      );
      let at = 0;
      return {
        ...page,
        items: page.items.map(({ id, traces: ofItem }) => ({
          item_id: id,
          traces: ofItem.map((trace) => ({
            trace_id: trace.traceId,
            started_at: trace.startedAt,
            has_ended: trace.hasEnded,
            has_failed: trace.hasFailed,
            latency_ms: trace.latencyMilliseconds,
            cost: trace.cost,
            scores: (scores[at++] ?? []).map(({ name, score, failure }) => ({
              name,
              value: score?.value ?? null,
              number: score?.number ?? null,
              applicable: score?.applicable ?? null,
              has_failed: failure !== null,
            })),
          })),
        })),
      };
    },

    compare: async ({ project, params, query }: HandlerRequest<typeof compareExperiments>) => {
      const idOf = (text: string): string => uuidInProject(project.id, text);
      const [candidate, baseline] = await Promise.all([
        reader.read(project.id, idOf(params.experiment_id)),
        reader.read(project.id, idOf(query.baseline)),
      ]);
      const [before, after, expected] = await Promise.all([
        reader.values(project.id, baseline.traces, query.metric_name),
        reader.values(project.id, candidate.traces, query.metric_name),
        reader.expectedItems(candidate),
      ]);
      const items = comparedItems(before, after, expected);
      return comparisonReply(query.metric_name, items, applyRule("max_drop", query.max_drop, items));
    },
  };
};
