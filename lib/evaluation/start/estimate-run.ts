import { metricReference } from "../../domain/metrics/custom/reference.ts";
import { signalNames } from "../../domain/scores/signals.ts";
import { isDecisionModel } from "../../domain/runs/model.ts";
import { addDollars, roundDollars } from "../../domain/runs/budget.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { cheaperJudges, type JudgeAlternative } from "../../judge/prices/listed-judges.ts";
import {
  cachedCostOfEstimate,
  costOfEstimate,
  estimateJudging,
  judgementBytes,
  type JudgingEstimate,
  type PlannedMetric,
  type RecentUsage,
} from "../../judge/prices/estimate.ts";
import { defaultAnswerTokens } from "../../judge/providers/provider.ts";
import { reservationRequestOf, defaultAnswerLengths } from "../../judge/spending/call-budget.ts";
import { sizeOfBytes } from "../../judge/spending/prompt-size.ts";
import type { Price } from "../../prices/price.ts";
import { withTraceState } from "../../store/traces/large-documents.ts";
import type { SessionRows } from "../../store/sessions/rows.ts";
import type { TraceReader } from "../../store/traces/reader.ts";
import { recordSize, type RecordLimits } from "./record-size.ts";

/** Estimated judge calls, tokens and cost of a run. */
interface RunEstimate {
  readonly targets: number;
  readonly judge_calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_usd: number | null;
  readonly cached_cost_usd: number | null;
  readonly escalation: {
    readonly pairs: number;
    readonly judge_calls: number;
    readonly cost_usd: number | null;
  } | null;
  readonly alternatives: ReturnType<typeof alternativeReply>[];
  readonly set_aside_usd: number | null;
  readonly least_usd: number | null;
}

/** Number of targets, and of session traces, whose documents are read for an estimate. */
const sampleSize = 20;

/** A planned metric with its own judge model, used by runs that name no model. */
interface MetricPlan extends PlannedMetric {
  /** Resolved model, as `<provider>/<model>`; absent or null if the metric has no model of its own. */
  readonly model?: string | null;
}

export interface EstimateDependencies extends RecordLimits {
  readonly traces: Pick<TraceReader, "read" | "readSmall">;
  readonly sessions: Pick<SessionRows, "list">;
  /** Returns a metric that a judge or a comparison scores, by name or (custom metrics) `name@version`; null for others. */
  readonly metricOf: (project: string, name: string) => Promise<MetricPlan | null>;
  readonly priceOf: (model: string) => Price | null;
  /** True if a judge model may be asked: others are no alternative. */
  readonly mayAsk: (model: string) => boolean;
  /** Returns the usage of the newest judgements of a metric by a model in a project. */
  readonly recentUsage: (project: string, metric: string, model: string) => Promise<RecentUsage>;
}

interface PlannedRun {
  readonly project: string;
  readonly targetType: TargetType;
  readonly metrics: readonly string[];
  /** Resolved judge model of the run, as `<provider>/<model>`. */
  readonly model: string;
  /** True if the run names its model, which then also judges metrics that have their own model. */
  readonly isModelExplicit: boolean;
  /** Returns the expected price of calls as a share of the model's standard price, for example of the flex tier. */
  readonly priceFactorOf: (model: string) => number;
  /** Ids of all targets of the run. */
  readonly targets: readonly string[];
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns about `sampleSize` items of a list, spread evenly over it. */
const sampleEvenly = <Item>(items: readonly Item[]): readonly Item[] =>
  items.filter((_, index) => index % Math.max(1, Math.ceil(items.length / sampleSize)) === 0);

const answerLengths = defaultAnswerLengths(defaultAnswerTokens);

/** Rounds US dollars up to a millionth. */
const roundUpToMicros = (dollars: number): number => Math.ceil(dollars * 1e6) / 1e6;

/** Converts a cheaper judge or tier into its form in replies. */
export const alternativeReply = ({ model, tier, costUsd, cachedCostUsd }: JudgeAlternative) => ({
  model,
  tier,
  cost_usd: roundDollars(costUsd),
  cached_cost_usd: roundDollars(cachedCostUsd),
});

/** Max traces of a session in the prompt of a custom metric. */
const maxSessionTraces = 50;

/** Estimates the calls, tokens and cost of a run from the documents of a sample of its targets, without calling a judge. */
export const estimateRunCost = async (
  { traces, sessions, metricOf, priceOf, mayAsk, budgetOf, picturesOf, recentUsage }: EstimateDependencies,
  { project, targetType, metrics: metricNames, model: runModel, isModelExplicit, priceFactorOf, targets }: PlannedRun,
): Promise<RunEstimate> => {
  const findMetrics = async (names: readonly string[]): Promise<Map<string, MetricPlan>> => {
    const metrics = await Promise.all(names.map(async (name) => [name, await metricOf(project, name)] as const));
    return new Map(metrics.flatMap(([name, plan]): [string, MetricPlan][] => (plan === null ? [] : [[name, plan]])));
  };
  const usageOf = async (
    planned: ReadonlyMap<string, PlannedMetric>,
    model: string,
  ): Promise<Map<string, RecentUsage>> => {
    // The calls of a decision model are shared, so that the usage of a metric's scores tells nothing.
    const judged = isDecisionModel(model) ? [] : [...planned].filter(([, { method }]) => method === "judge");
    const usages = judged.map(async ([name]) => {
      const usage = await recentUsage(project, metricReference(name).name, model);
      return [name, usage] as const;
    });
    return new Map(await Promise.all(usages));
  };
  // Custom session metrics need one question per session; built-in ones depend on the signals of every trace.
  const customNames =
    targetType === "TRACE" ? [] : metricNames.filter((name) => metricReference(name).version !== null);
  const traceMetrics =
    targetType === "TRACE" ? metricNames : customNames.length < metricNames.length ? signalNames : [];
  const [plannedMetrics, sessionMetrics] = [await findMetrics(traceMetrics), await findMetrics(customNames)];
  const asksJudge = [plannedMetrics, sessionMetrics].some((plans) =>
    [...plans.values()].some(({ method }) => method === "judge"),
  );

  const isCustom = (name: string): boolean => metricReference(name).version !== null;
  /** Returns the model that judges a metric; null for custom metrics that call no judge. */
  const modelOf = (name: string, { method, model }: MetricPlan): string | null => {
    if (isCustom(name) && method !== "judge") return null;
    return isModelExplicit ? runModel : (model ?? runModel);
  };
  const judgedBy = (planned: ReadonlyMap<string, MetricPlan>, model: string): Map<string, MetricPlan> =>
    new Map([...planned].filter(([name, metric]) => modelOf(name, metric) === model));
  const chosenModels = [...plannedMetrics, ...sessionMetrics].flatMap(([name, metric]) => modelOf(name, metric) ?? []);
  const models = [...new Set([...(metricNames.every(isCustom) ? [] : [runModel]), ...chosenModels])];

  const sampledTargets = asksJudge ? sampleEvenly(targets) : [];
  const rows = targetType === "TRACE" ? [] : await Promise.all(sampledTargets.map((id) => sessions.list(project, id)));
  const sessionSizes = rows.map(({ length }) => length);
  const sampledTraces =
    targetType === "TRACE" ? sampledTargets : sampleEvenly(rows.flat()).map(({ traceId }) => traceId);
  const tracesPerTarget = targetType === "TRACE" ? 1 : mean(sessionSizes);
  // Each document is read once for all models.
  const sizesByTrace = (
    await Promise.all(
      sampledTraces.map((id) =>
        withTraceState(traces, project, id, async (state) =>
          state.kind === "stored"
            ? [models.map((model) => recordSize({ budgetOf, picturesOf }, model, state.trace))]
            : [],
        ),
      ),
    )
  ).flat();

  /** Estimates one model's share of the run; cost and reservations are null if the model has no known price. */
  const estimateModel = async (model: string, place: number) => {
    const records = sizesByTrace.flatMap((sizesOf) => sizesOf[place] ?? []);
    const record = {
      tokens: Math.ceil(mean(records.map(({ tokens }) => tokens))),
      characters: mean(records.map(({ characters }) => characters)),
    };
    const tracesPerPrompt = Math.min(
      mean(sessionSizes.map((size) => Math.min(size, maxSessionTraces))),
      budgetOf(model) / Math.max(1, record.characters),
    );
    const session = {
      tokens: Math.ceil(record.tokens * tracesPerPrompt),
      characters: record.characters * tracesPerPrompt,
    };
    const [traceMetricsOfModel, customMetricsOfModel] = [
      judgedBy(plannedMetrics, model),
      judgedBy(sessionMetrics, model),
    ];
    const estimateOf = async (planned: ReadonlyMap<string, MetricPlan>, size: typeof record) =>
      estimateJudging(model, planned, size, await usageOf(planned, model));
    const traceEstimate = await estimateOf(traceMetricsOfModel, record);
    const sessionEstimate = await estimateOf(customMetricsOfModel, session);
    const sum = (figure: keyof JudgingEstimate): number =>
      Math.round(targets.length * (tracesPerTarget * traceEstimate[figure] + sessionEstimate[figure]));
    const estimate = {
      calls: sum("calls"),
      prompt: sum("prompt"),
      completion: sum("completion"),
      cached: sum("cached"),
      written: sum("written"),
    };
    const price = priceOf(model);
    const atTier = (cost: number | null): number | null => (cost === null ? null : cost * priceFactorOf(model));
    const bytes = Math.max(0, ...records.map((size) => size.bytes));
    const prompts = [
      ...judgementBytes(model, traceMetricsOfModel, bytes),
      ...judgementBytes(model, customMetricsOfModel, Math.ceil(bytes * Math.max(1, tracesPerPrompt))),
    ];
    const reservations =
      price === null
        ? null
        : prompts.map((sizes) => reservationRequestOf(price, sizes.map(sizeOfBytes), answerLengths));
    const cost = atTier(costOfEstimate(estimate, price));
    return { modelEstimate: estimate, cost, cachedCost: atTier(cachedCostOfEstimate(estimate, price)), reservations };
  };

  const estimates = await Promise.all(models.map(estimateModel));
  const total = (figure: keyof JudgingEstimate): number =>
    estimates.reduce((sum, { modelEstimate }) => sum + modelEstimate[figure], 0);
  const reservations = estimates.flatMap((part) => part.reservations ?? []);
  const isPriced = estimates.every(({ cost }) => cost !== null);
  const totalCost = (figure: "cost" | "cachedCost"): number | null =>
    isPriced ? roundDollars(estimates.reduce((sum, estimate) => sum + (estimate[figure] ?? 0), 0)) : null;
  const cost = totalCost("cost");
  const whole = {
    calls: total("calls"),
    prompt: total("prompt"),
    completion: total("completion"),
    cached: total("cached"),
    written: total("written"),
  };
  const maxAmount = (amounts: readonly number[]): number | null =>
    isPriced ? roundUpToMicros(Math.max(0, ...amounts)) : null;
  return {
    targets: targets.length,
    judge_calls: whole.calls,
    prompt_tokens: whole.prompt,
    completion_tokens: whole.completion,
    cost_usd: cost,
    cached_cost_usd: totalCost("cachedCost"),
    escalation: null,
    alternatives: cheaperJudges(runModel, whole, cost, { priceOf, mayAsk }).map(alternativeReply),
    set_aside_usd: maxAmount(reservations.map(({ max }) => max)),
    least_usd: maxAmount(reservations.map(({ min }) => min)),
  };
};

/**
 * Adds to a run's estimate that of its second judge, for the largest share of the pairs that may be asked again.
 *
 * @param second estimate of all pairs with the second judge.
 * @param pairs number of pairs that may be asked again.
 * @param share the share of all pairs that they are.
 */
export const withEscalation = (first: RunEstimate, second: RunEstimate, pairs: number, share: number): RunEstimate => {
  const partOf = (count: number): number => Math.ceil(count * share);
  const costPart = (cost: number | null): number | null => (cost === null ? null : roundDollars(cost * share));
  const largest = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? null : Math.max(a, b);
  const escalation = { pairs, judge_calls: partOf(second.judge_calls), cost_usd: costPart(second.cost_usd) };
  return {
    ...first,
    judge_calls: first.judge_calls + escalation.judge_calls,
    prompt_tokens: first.prompt_tokens + partOf(second.prompt_tokens),
    completion_tokens: first.completion_tokens + partOf(second.completion_tokens),
    cost_usd: addDollars(first.cost_usd, escalation.cost_usd),
    cached_cost_usd: addDollars(first.cached_cost_usd, costPart(second.cached_cost_usd)),
    escalation,
    alternatives: [],
    set_aside_usd: largest(first.set_aside_usd, second.set_aside_usd),
    least_usd: largest(first.least_usd, second.least_usd),
  };
};
