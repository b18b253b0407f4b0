import { semaphore } from "../../async/concurrency.ts";
import { automatedScore, type Judgement } from "../../domain/scores/automated-score.ts";
import type { TraceScore } from "../../domain/scores/score.ts";
import { instantAt } from "../../domain/instant.ts";
import { microsUp } from "../../domain/runs/budget.ts";
import { addUsage, chargedOf, noUsage, type JudgeUsage } from "../../domain/runs/run.ts";
import { newPairBits } from "../../domain/runs/pair-bits.ts";
import type { ServiceTier } from "../../domain/runs/tier.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { Judge } from "../../judge/judge.ts";
import { costOfEstimate, estimateJudging } from "../../judge/prices/estimate.ts";
import { cheaperJudges, tierShare, type JudgeAlternative } from "../../judge/prices/listed-judges.ts";
import type { QuestionMessages } from "../../judge/question/target-questions.ts";
import type { AddSettledCost } from "../../store/spend/settled-cost.ts";
import { readIfSmall, withLargeDocument } from "../../store/traces/large-documents.ts";
import type { StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { recordSize, type RecordLimits } from "../start/record-size.ts";
import { sliceBudget, type SliceBudget, type SpendingDependencies } from "../slices/slice-budget.ts";
import { failedJudgement, judgementOf, usageOf } from "../slices/settled-pairs.ts";

/** A trace to preview a metric on: a stored trace by id, or a trace from the request body. */
export type PreviewTarget =
  | { readonly kind: "stored"; readonly traceId: string }
  | { readonly kind: "sent"; readonly trace: Trace };

/** A request to preview a metric on some traces. */
export interface PreviewRequest {
  readonly id: string;
  readonly projectId: string;
  readonly organizationId: string;
  /** Reference of the metric draft in the judge. */
  readonly metric: string;
  /** True if the metric calls a judge model; false for checks. */
  readonly usesJudge: boolean;
  /** True if the judge is shown the expected output of a trace. */
  readonly usesExpectedOutput: boolean;
  /** Resolved judge model, as `<provider>/<model>`. */
  readonly model: string;
  readonly tier: ServiceTier;
  readonly targets: readonly PreviewTarget[];
  /** Cost limit in US dollars; null for none. */
  readonly maxCostUsd: number | null;
  /** True to return messages and estimates without calling a judge. */
  readonly isDryRun: boolean;
}

/** Preview result for one trace; `score` is null if the trace was not judged. */
export interface PreviewedTrace {
  /** Null for a trace from the request body. */
  readonly traceId: string | null;
  readonly isFound: boolean;
  readonly score: TraceScore | null;
  readonly messages: readonly QuestionMessages[];
  readonly usage: JudgeUsage;
  /** Cost estimated before any call, in US dollars; null if the model has no known price. */
  readonly estimatedCost: number | null;
  /** Cheaper judges and tiers. */
  readonly alternatives: readonly JudgeAlternative[];
}

interface PreviewDependencies extends RecordLimits {
  readonly judge: Judge;
  readonly traces: Pick<TraceReader, "get" | "readSmall">;
  readonly spending: SpendingDependencies;
  readonly addCost: AddSettledCost;
  /** Maximum number of concurrent judge calls. */
  readonly calls: number;
  /** True if a judge model may be asked. */
  readonly mayAsk: (model: string) => boolean;
  readonly now: () => number;
}

/** A trace with the row fields that its score contains. */
type PreviewedRecord = Pick<StoredTrace, "trace"> & {
  readonly row: Pick<StoredTrace["row"], "version" | "contentVersion" | "startedAt" | "environment">;
};

/** Milliseconds in which all traces must be judged: API Gateway limits a response to 29 s. */
const maxMilliseconds = 22_000;

/** Estimate of a trace that no judge is asked about. */
const withoutCost = { estimatedCost: 0, alternatives: [] } as const;

/** Creates the budget of a preview: its cost is reserved under the ceilings of a run and recorded like that of a run slice. */
const budgetOf = (
  { spending, now }: PreviewDependencies,
  { id, projectId, metric, maxCostUsd, model, targets }: PreviewRequest,
  deadline: number,
): Promise<SliceBudget> => {
  const ids = targets.map((_, place) => String(place));
  const order = { id, projectId, metrics: [metric], targetType: "TRACE", maxCostUsd, resolvedModel: model } as const;
  const slice = {
    id,
    targets: ids,
    traces: [],
    bits: newPairBits(
      ids.map(() => null),
      1,
    ),
    usage: noUsage,
  };
  const mayStart = (): boolean => now() < deadline;
  return sliceBudget(
    spending,
    order,
    { slice, epoch: 1, waits: 0 },
    { maxConcurrent: ids.length, canStart: mayStart, now },
  );
};

/**
 * Judges traces with a metric like a run would, and stores only the spend. Results are yielded in the order of the targets,
 * each as soon as all before it are ready. If a worker dies, its reservation counts as spent.
 */
export const metricPreview = (dependencies: PreviewDependencies) => {
  const { judge, traces, now, calls, mayAsk, priceOf } = { ...dependencies, priceOf: dependencies.spending.priceOf };

  const estimateOf = (
    { usesJudge, usesExpectedOutput, model, tier }: PreviewRequest,
    trace: Trace,
  ): Pick<PreviewedTrace, "estimatedCost" | "alternatives"> => {
    if (!usesJudge) return withoutCost;
    const { tokens, characters } = recordSize(dependencies, model, trace);
    const plan = new Map([["draft", { method: "judge", sees: "record", usesExpectedOutput } as const]]);
    const estimate = estimateJudging(model, plan, { tokens, characters });
    const cost = costOfEstimate(estimate, priceOf(model));
    const estimatedCost = cost === null ? null : cost * tierShare(model, tier);
    return { estimatedCost, alternatives: cheaperJudges(model, estimate, estimatedCost, { priceOf, mayAsk }) };
  };

  const judgeTrace = async (
    request: PreviewRequest,
    traceId: string | null,
    { trace, row }: PreviewedRecord,
    { deadline, budget }: { readonly deadline: number; readonly budget: SliceBudget },
  ): Promise<PreviewedTrace> => {
    const { id, projectId, metric, model, tier, isDryRun } = request;
    const messages: QuestionMessages[] = [];
    const onQuestion = (question: QuestionMessages): boolean => {
      messages.push(question);
      return !isDryRun;
    };
    const target = {
      runId: id,
      projectId,
      trace,
      traceVersion: row.version,
      model,
      isModelExplicit: true,
      tier,
      onQuestion,
    };
    const verdict = await judge.target(target).score(metric, deadline, isDryRun ? undefined : budget.judgeBudget);
    // In a dry run, a verdict without any judge message is final and free.
    const isFinalWithoutJudge = isDryRun && messages.length === 0;
    const base = {
      traceId,
      isFound: true,
      messages,
      ...(isFinalWithoutJudge ? withoutCost : estimateOf(request, trace)),
    };
    if (isDryRun && !isFinalWithoutJudge) return { ...base, score: null, usage: noUsage };
    const judgement: Judgement =
      verdict.kind === "deferred"
        ? failedJudgement(
            verdict.unfunded ? (budget.shortage()?.message ?? verdict.reason) : verdict.reason,
            { ...verdict.metadata, code: verdict.unfunded ? "cost_ceiling" : verdict.code },
            verdict.grounds,
          )
        : judgementOf(verdict);
    const pair = { projectId, runId: id, target: traceId ?? trace.trace_id, metric };
    const score = automatedScore(pair, judgement, row, instantAt(now()));
    return { ...base, score, usage: usageOf(judgement.metadata) };
  };

  const previewOf = async (
    request: PreviewRequest,
    target: PreviewTarget,
    limits: { readonly deadline: number; readonly budget: SliceBudget },
  ): Promise<PreviewedTrace> => {
    if (target.kind === "sent") {
      const { trace } = target;
      const row = { version: 1, contentVersion: 1, startedAt: trace.started_at, environment: trace.environment };
      return await judgeTrace(request, null, { trace, row }, limits);
    }
    const { traceId } = target;
    const judgeStored = async (stored: StoredTrace | null): Promise<PreviewedTrace> =>
      stored === null
        ? { traceId, isFound: false, score: null, messages: [], usage: noUsage, ...withoutCost }
        : await judgeTrace(request, traceId, stored, limits);
    const smallTrace = await readIfSmall(traces, request.projectId, traceId);
    return smallTrace === null
      ? await withLargeDocument(async () => await judgeStored(await traces.get(request.projectId, traceId)))
      : await judgeStored(smallTrace.stored);
  };

  return async function* (request: PreviewRequest): AsyncGenerator<PreviewedTrace> {
    const deadline = now() + maxMilliseconds;
    const budget = await budgetOf(dependencies, request, deadline);
    const slots = semaphore(calls);
    const previews = request.targets.map((target) => slots(() => previewOf(request, target, { deadline, budget })));
    const settleBudget = async (): Promise<void> => {
      const results = await Promise.allSettled(previews);
      const usage = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.usage] : []));
      const total = usage.reduce(addUsage, noUsage);
      const owner = { project: request.projectId, organization: request.organizationId };
      await budget.close(total);
      await dependencies.addCost(owner, microsUp(chargedOf(total)));
    };
    const settlement = settleBudget();
    settlement.catch(() => null);
    try {
      for (const [place, one] of previews.entries()) {
        const preview = await one;
        // The cost is recorded before the last result is yielded.
        if (place === previews.length - 1) await settlement;
        yield preview;
      }
    } finally {
      // Calls continue after a trace failed or the reader stopped: wait until their cost is recorded.
      await settlement.catch(() => null);
    }
  };
};
