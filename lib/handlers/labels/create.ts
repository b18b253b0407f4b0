import type { createLabelSet } from "../../contract/labels/label-sets.ts";
import { instantAt } from "../../domain/instant.ts";
import { toDouble } from "../../domain/json.ts";
import { drawOrder, type Candidate } from "../../domain/labels/draw.ts";
import { minLabelItems } from "../../domain/labels/label-set.ts";
import { invalid } from "../../domain/refusal.ts";
import { shuffled } from "../../domain/shuffled.ts";
import { isDecisionModel } from "../../domain/runs/model.ts";
import type { ScoresByName } from "../../domain/score-condition.ts";
import { checkDeclared } from "../../domain/traces/facts.ts";
import type { Database } from "../../dynamo/database.ts";
import { labelMetricReader } from "../../evaluation/start/label-metrics.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { labelSetReply } from "../../http/labels/reply.ts";
import { scoreNameCheck } from "../../http/metrics/unknown-score.ts";
import { labelSetStore } from "../../store/labels/sets.ts";
import { customMetricStore } from "../../store/metrics/custom-metrics.ts";
import { traceScoreKind } from "../../store/scores/kind.ts";
import { newestValues } from "../../store/scores/newest/values.ts";
import { scoreReader } from "../../store/scores/reader.ts";
import { checkScoreReads } from "../../store/traces/lists/list.ts";
import { traceReader } from "../../store/traces/reader.ts";
import { targetSources } from "../../wiring/target-sources.ts";

/** Whole scores that are read for the confidence of a decision model's verdicts. */
const maxConfidences = 20_000;

type Request = HandlerRequest<typeof createLabelSet>;
type ScoredTrace = Candidate & { readonly scoreId: string | null };

const foundTrace = (traceId: string, scores: ScoresByName | undefined, by: string): ScoredTrace => {
  const score = scores?.get(by);
  const { number = null, passed = null, id = null } = score?.applicable === false ? {} : (score ?? {});
  return { traceId, number, passed, confidence: null, scoreId: id };
};

/** Returns the function that creates a label set. */
export const labelSetCreation = (database: Database) => {
  const [sets, traces, metrics] = [
    labelSetStore(database),
    traceReader(database),
    labelMetricReader(customMetricStore(database)),
  ];
  const sources = targetSources(database);
  const [scoresOf, scores] = [newestValues(database, "trace"), scoreReader(database, traceScoreKind)];
  const checkScoreNames = scoreNameCheck(database, "trace");

  /** Returns the traces that match filters, with their newest scores of a name if the draw needs them. */
  const matching = async ({ body, project, warn }: Request, by: string): Promise<ScoredTrace[]> => {
    const { filters, draw } = body;
    checkDeclared(filters.metadata, project.metadata_keys, (key) => ["body", "filters", "metadata", key]);
    await checkScoreNames(project.id, filters, warn);
    const filter = await sources.resolveFilters.traces(project.id, filters, draw === "random" ? [] : [by]);
    await sources.checkRowLimit(project.id, filter, ["body", "filters"], "date_from and date_to");
    const traceScores: ScoredTrace[] = [];
    await sources.list.matching(project.id, filter, ({ traceId }, ofTrace) => {
      traceScores.push(foundTrace(traceId, ofTrace, by));
    });
    return traceScores;
  };

  /** Returns listed traces in the same form. @throws Refusal `invalid` if one does not exist. */
  const listed = async (project: string, ids: readonly string[], by: string): Promise<ScoredTrace[]> => {
    const rows = await traces.locateAll(project, ids);
    const missing = ids.findIndex((id) => !rows.has(id));
    if (missing !== -1) throw invalid(["body", "trace_ids", missing], "There is no trace with this id");
    const incarnations = Array.from(rows, ([id, { row }]) => ({ id, incarnation: row.incarnation }));
    const ofTraces = await scoresOf(project, incarnations, { names: [by] });
    return incarnations.map(({ id }, at) => foundTrace(id, ofTraces[at], by));
  };

  /** Adds the confidence of decision models' verdicts. */
  const withConfidence = async (project: string, traceScores: readonly ScoredTrace[]): Promise<Candidate[]> => {
    const ids = traceScores.flatMap(({ scoreId }) => scoreId ?? []);
    checkScoreReads(ids.length, maxConfidences, ["body", "filters"]);
    const read = new Map((await scores.read(project, ids)).map((score) => [score.id, score]));
    return traceScores.map((each) => {
      const { judge = null, metadata = {} } = read.get(each.scoreId ?? "") ?? {};
      const isProbable = judge !== null && isDecisionModel(judge.id.slice(0, judge.id.lastIndexOf("#")));
      const confidence = isProbable ? toDouble(metadata["confidence"] ?? null) : null;
      return { ...each, confidence: typeof confidence === "number" ? confidence : null };
    });
  };

  return async (request: Request) => {
    const { body, project, idFor, idempotency } = request;
    const id = idFor("label-set");
    const resolvedMetrics = await metrics.resolve(project.id, body.metrics);
    const by = body.by ?? resolvedMetrics[0]?.name ?? "";
    const traceScores =
      body.trace_ids == null ? await matching(request, by) : await listed(project.id, [...new Set(body.trace_ids)], by);
    const candidates = body.draw === "uncertain" ? await withConfidence(project.id, traceScores) : traceScores;
    // The place of an item is in its id: in the order of the draw it would tell the verdict.
    const drawn = shuffled(drawOrder(body.draw, candidates).slice(0, body.size)).map(({ traceId }) => traceId);
    const rows = await traces.locateAll(project.id, drawn);
    // A trace that was deleted in the meantime is no item.
    const items = drawn.flatMap((traceId) => {
      const row = rows.get(traceId)?.row;
      return row === undefined ? [] : [{ traceId, version: row.contentVersion, incarnation: row.incarnation }];
    });
    if (items.length < minLabelItems) {
      const scored = body.draw === "random" ? "" : ` and have a score of "${by}" that the draw needs`;
      const loc = ["body", body.trace_ids == null ? "filters" : "trace_ids"];
      throw invalid(loc, `A set needs ${minLabelItems} traces; ${items.length} match${scored}`, "too_short");
    }
    const { score, no_score } = body.filters;
    const settings = {
      id,
      projectId: project.id,
      name: body.name,
      metrics: resolvedMetrics,
      draw: body.draw,
      isRandom:
        body.draw === "random" && body.trace_ids == null && [score, no_score].every((names = []) => names.length === 0),
      size: body.size,
      labelsPerItem: body.labels_per_item,
      isBlind: body.blind,
      createdAt: instantAt(Date.now()),
    };
    return labelSetReply(await sets.create(settings, items, idempotency), request);
  };
};
