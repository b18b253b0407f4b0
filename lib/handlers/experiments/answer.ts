import type {
  compareExperiments,
  getExperiment,
  listExperimentItems,
  listExperiments,
} from "../../contract/experiments/experiments.ts";
import { applyRule, decideGate, maxScoredTraces } from "../../domain/experiments/rules.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import {
  comparisonVerdicts,
  experimentReply,
  experimentSummary,
  itemLabels,
  measureReply,
  metricReply,
} from "../../http/datasets/experiment-reply.ts";
import { replyBytes, fittingPage, maxPageBytes } from "../../http/fitting-page.ts";
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
      const replies = { ...page, items: page.items.map(experimentReply) };
      return fittingPage(paging, replies, replyBytes, ({ started_at: key, id }) => ({ key, id }));
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
      const positionOf = ({ id }: Pick<(typeof groups)[number], "id">) => ({ key: id ?? "", id: id ?? "" });
      const requested = sortedReply(paging, groups, positionOf, "asc");
      const page = fittingPage(paging, requested, (item) => item.traces.length, positionOf, maxScoredTraces);
      const scores = await reader.allScores(
        project.id,
        page.items.flatMap((item) => item.traces),
      );
      let at = 0;
      const replies = page.items.map(({ id, traces: ofItem }) => ({
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
      }));
      const [first] = replies;
      if (first !== undefined && replyBytes(first) > maxPageBytes) {
        const detail = `The traces of the item ${first.item_id ?? "that has no id"} have more than 5 MB: list them by GET /traces.`;
        throw new Refusal({ kind: "too-large", detail });
      }
      return fittingPage(paging, { ...page, items: replies }, replyBytes, ({ item_id: id }) => positionOf({ id }));
    },

    compare: async ({ project, params, query, warn }: HandlerRequest<typeof compareExperiments>) => {
      // One after the other, so that of two unknown ids always the first is named.
      const candidate = await reader.read(project.id, params.experiment_id, "Candidate experiment");
      const baseline = await reader.read(project.id, query.baseline, "Baseline experiment");
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
