import { createHash } from "node:crypto";
import type { computeTrust } from "../../contract/labels/trust.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import { instantAt } from "../../domain/instant.ts";
import { judgeWorth, placeOfItem } from "../../domain/labels/judge-worth.ts";
import { cells, confusionOf } from "../../domain/labels/confusion.ts";
import { labelItemId, type PersonLabels, type LabelItem, type LabelMetric } from "../../domain/labels/label-set.ts";
import type { halves, TrustResult } from "../../domain/labels/trust-result.ts";
import { labelPasses } from "../../domain/labels/scale.ts";
import { nameAdvice } from "../../domain/nearest-name.ts";
import { invalid } from "../../domain/refusal.ts";
import type { TraceScore } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import { labelMetricReader } from "../../evaluation/start/label-metrics.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { labelSetStore } from "../../store/labels/sets.ts";
import { labelSetOf } from "../../store/labels/codec.ts";
import { customMetricStore } from "../../store/metrics/custom-metrics.ts";
import { trustStore } from "../../store/labels/trust.ts";
import { traceScoreKind } from "../../store/scores/kind.ts";
import { scoreList } from "../../store/scores/list.ts";
import { missingSet } from "./queue.ts";

/** Traces whose scores are read at the same time, and scores of one that are read for the newest verdict. */
const [parallel, maxScores] = [20, 100];

/** Disagreements that a result lists. */
const maxDisagreements = 100;

const isCell = (place: string): place is (typeof cells)[number] => cells.some((cell) => cell === place);

/** Returns the half of a trace, by a hash of its id. */
const halfOf = (traceId: string): (typeof halves)[number] =>
  (createHash("sha256").update(traceId).digest()[0] ?? 0) % 2 === 0 ? "dev" : "test";

const isOfJudge = ({ judge }: TraceScore, name: string | null): boolean =>
  judge !== null && (name === null || judge.id === name || judge.id.slice(0, judge.id.lastIndexOf("#")) === name);

/** Returns what people say of an item's metric: true for those who let it pass. */
const votesOf = ({ name, scale }: LabelMetric, labels: readonly PersonLabels[]): readonly boolean[] =>
  labels.flatMap(({ values }) => {
    const value = values[name];
    return value === undefined ? [] : (labelPasses(scale, value) ?? []);
  });

/** Returns the function that compares a judge with the labels of a set. */
export const trustComputation = (database: Database) => {
  const sets = labelSetStore(database);
  const metrics = labelMetricReader(customMetricStore(database));
  const scores = scoreList(database, traceScoreKind);
  const corrections = trustStore(database);

  /** Returns the newest verdict of a judge on the content of an item; null if there is none. */
  const verdictOf = async (
    project: string,
    { traceId, version, incarnation }: LabelItem,
    name: string,
    judge: string | null,
  ) => {
    let read = 0;
    const filter = { target_id: traceId, incarnation, name, source: "AUTOMATED", status: "SUCCESS" } as const;
    for await (const score of scores.ofTarget(project, filter)) {
      if (score.content_version === version && score.applicable !== false && isOfJudge(score, judge))
        return { value: score.value, judge: score.judge?.id ?? "" };
      read += 1;
      if (read === maxScores) break;
    }
    return null;
  };

  return async ({
    params: { set_id: id },
    body,
    project,
    serviceUrl,
  }: HandlerRequest<typeof computeTrust>): Promise<TrustResult> => {
    const stored = await sets.get(project.id, id);
    if (stored === null) throw missingSet(id);
    const set = labelSetOf(stored);
    const metric = set.metrics.find(({ name }) => name === body.metric);
    if (metric === undefined) {
      const names = set.metrics.map(({ name }) => name);
      throw invalid(
        ["body", "metric"],
        `The set has no such metric${nameAdvice(body.metric, names)}`,
        "unknown_metric",
      );
    }
    const { scale } = metric;
    if (scale.data_type === "CATEGORICAL" && scale.passing.length === 0)
      throw invalid(["body", "metric"], "The categories of the metric are only counted: none of them passes");
    const judge = body.judge ?? null;
    const [items, labels] = await Promise.all([
      sets.items(project.id, id, 0, set.itemCount),
      sets.labels(project.id, id, 0, set.itemCount),
    ]);
    const ofMetric = Array.from(items.entries(), ([place, item]) => ({
      place,
      item,
      labels: (labels.get(place) ?? []).filter(
        ({ values, cannotTell }) => metric.name in values || cannotTell.includes(metric.name),
      ),
    })).filter((each) => each.labels.length > 0 && (body.half === "all" || halfOf(each.item.traceId) === body.half));
    const judged = await mapConcurrently(ofMetric, parallel, async (each) => {
      const { value = null, judge: judgeId = null } =
        (await verdictOf(project.id, each.item, metric.name, judge)) ?? {};
      return {
        ...each,
        value,
        judgeId,
        votes: votesOf(metric, each.labels),
        verdict: value === null ? null : labelPasses(scale, value),
      };
    });
    const worth = judgeWorth(judged);
    const placed = judged.flatMap((each) => {
      const cell = placeOfItem(each);
      return isCell(cell) ? [{ ...each, cell }] : [];
    });
    const { people, reason, fit_for, ...figures } = worth;
    const result: TrustResult = {
      metric: metric.name,
      judge,
      half: body.half,
      ...figures,
      people,
      cannot_tell: judged.filter(({ votes }) => votes.length === 0).length,
      fit_for,
      reason,
      is_test: await metrics.isUnchanged(project.id, metric),
      disagreements: placed
        .filter(({ cell }) => cell === "fp" || cell === "fn")
        .slice(0, maxDisagreements)
        .map(({ place, item, cell, labels: itemLabels, value }) => ({
          item_id: labelItemId(id, place),
          trace_id: item.traceId,
          cell,
          label: itemLabels.flatMap(({ values }) => values[metric.name] ?? [])[0] ?? "",
          verdict: value ?? "",
          link: `${serviceUrl}/console#/traces/${item.traceId}`,
        })),
      computed_at: instantAt(Date.now()),
    };
    await sets.putTrust(project.id, id, metric.name, judge, {
      result,
      cells: placed.map(({ place, cell }) => [place, cell] as const),
    });
    // Development labels flatter a judge, as those of its half do.
    if (result.is_test && result.half !== "dev") {
      const byJudge = Map.groupBy(placed, ({ judgeId }) => judgeId ?? "");
      const results = Array.from(byJudge, ([judgeId, ofJudge]) => ({
        judge: judgeId,
        isRandom: set.isRandom,
        confusion: confusionOf(ofJudge.map(({ cell }) => cell)),
      }));
      await corrections.record(project.id, metric.name, id, results);
    }
    return result;
  };
};
