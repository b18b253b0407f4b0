import type {
  compareExperiments,
  getExperiment,
  listExperimentItems,
  listExperiments,
} from "../../contract/experiments/experiments.ts";
import { applyRule, decideGate, maxScoredTraces } from "../../domain/experiments/rules.ts";
import type { Database } from "../../dynamo/database.ts";
import {
  comparisonVerdicts,
  experimentReply,
  experimentSummary,
  itemLabels,
  measureReply,
  metricReply,
} from "../../http/datasets/experiment-reply.ts";
import { scoreNameCheck } from "../../http/metrics/unknown-score.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { sortedReply } from "../../http/paging.ts";
import { correctionReader } from "../labels/corrections.ts";
import { compareRead } from "./compare.ts";
import { correctedSides } from "./corrected-sides.ts";
import { experimentReader } from "./read.ts";

/** Returns the functions that answer requests about experiments. */
export const experimentAnswers = (database: Database) => {
  const reader = experimentReader(database);
  const checkScoreNames = scoreNameCheck(database, "trace");
  const corrections = correctionReader(database);

  return {
    list: async ({ project, query, paging }: HandlerRequest<typeof listExperiments>) => {
      const experiments = await reader.list(project.id);
      const matching = experiments.filter(({ name }) => query.name === undefined || name === query.name);
      const page = sortedReply(paging, matching, ({ startedAt, id }) => ({ key: startedAt, id }));
      return { ...page, items: page.items.map(experimentReply) };
    },

    get: async ({ project, params }: HandlerRequest<typeof getExperiment>) => {
      const read = await reader.read(project.id, params.experiment_id);
      const { experiment, traces } = read;
      const [expected, values, scores] = await Promise.all([
        reader.expectedItems(experiment),
        traces.length > maxScoredTraces ? null : reader.values(project.id, traces, null),
        reader.ownScores(experiment),
      ]);
      return experimentSummary(experiment, traces, { expected, values, scores });
    },

    items: async ({ project, params, paging }: HandlerRequest<typeof listExperimentItems>) => {
      const { traces } = await reader.read(project.id, params.experiment_id);
      const groups = [...Map.groupBy(traces, ({ itemId }) => itemId)].map(([id, ofItem]) => ({ id, traces: ofItem }));
      const page = sortedReply(paging, groups, ({ id }) => ({ key: id ?? "", id: id ?? "" }), "asc");
      const scores = await reader.allScores(
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

    compare: async ({ project, params, query, warn }: HandlerRequest<typeof compareExperiments>) => {
      const [candidate, baseline] = await Promise.all([
        reader.read(project.id, params.experiment_id, "Candidate experiment"),
        reader.read(project.id, query.baseline, "Baseline experiment"),
      ]);
      const names = query.metric_name === undefined ? null : [query.metric_name];
      const compared = await compareRead(reader, baseline, candidate, names, query.max_drop);
      const { metrics, measuredPairs } = compared;
      const without = metrics.flatMap(({ name, outcome }) => (outcome.reason === "no_scores" ? [name] : []));
      await checkScoreNames(project.id, {}, warn, names === null ? [] : without);
      const labels = itemLabels(baseline.traces, candidate.traces);
      const ofMetrics = metrics.map(({ name }) => name);
      const correct = await corrections(project.id, query.corrected, ofMetrics);
      const measureOf = (measure: "cost" | "latency") =>
        measureReply(applyRule(`max_${measure}_increase`, 0, measuredPairs(measure)), labels, -1);
      const { verdict } = decideGate(metrics.map(({ outcome }) => ({ isWatching: false, outcome })));
      return {
        candidate: experimentReply(candidate.experiment),
        baseline: experimentReply(baseline.experiment),
        verdict: comparisonVerdicts[verdict],
        metrics: metrics.map(({ name, outcome, sides }) =>
          Object.assign(metricReply(name, outcome, labels), correctedSides(correct, name, sides)),
        ),
        cost: measureOf("cost"),
        latency: measureOf("latency"),
      };
    },
  };
};
