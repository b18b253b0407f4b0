import { metricReference } from "../../domain/metrics/custom/reference.ts";
import { signalNames } from "../../domain/scores/signals.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import {
  costOfEstimate,
  estimateTarget,
  promptBytes,
  type JudgingEstimate,
  type PlannedMetric,
  type UsedLately,
} from "../../judge/prices/estimate.ts";
import { fullAnswer } from "../../judge/providers/provider.ts";
import { wantOf } from "../../judge/spending/funds.ts";
import { unknownAnswers } from "../../judge/spending/usual-answers.ts";
import type { Price } from "../../judge/prices/price.ts";
import { withState } from "../../store/traces/large-documents.ts";
import type { SessionRows } from "../../store/sessions/rows.ts";
import type { TraceReader } from "../../store/traces/reader.ts";
import { recordSize, type RecordSettings } from "./record-size.ts";

/** What a run would come to. */
interface Estimate {
  readonly targets: number;
  readonly judge_calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_usd: number | null;
  readonly set_aside_usd: number | null;
  readonly least_usd: number | null;
}

/** Targets whose documents are looked at. */
const looked = 20;

/** A metric, and the model of its own that judges it in runs that name none. */
interface ModelledMetric extends PlannedMetric {
  /** `<provider>/<model>`, resolved. */
  readonly model?: string | null;
}

export interface EstimateParts extends RecordSettings {
  readonly traces: Pick<TraceReader, "read" | "readSmall">;
  readonly sessions: Pick<SessionRows, "list">;
  /** A metric that a judge or a comparison answers, by its name; of a project's own by `name@version`. */
  readonly metricOf: (project: string, name: string) => Promise<ModelledMetric | null>;
  readonly priceOf: (model: string) => Price | null;
  /** What the newest judgements of a metric by a model took in a project. */
  readonly usedLately: (project: string, metric: string, model: string) => Promise<UsedLately>;
}

interface PlannedRun {
  readonly project: string;
  readonly targetType: TargetType;
  readonly metrics: readonly string[];
  /** `<provider>/<model>`, resolved. */
  readonly model: string;
  /** Whether the run names its model: it judges metrics that have one of their own too. */
  readonly isChosen: boolean;
  /** Of a model's standard price that calls are expected to cost: the flex tier has another. */
  readonly shareOf: (model: string) => number;
  /** Ids of all targets. */
  readonly targets: readonly string[];
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Some of a list, spread over all of it. */
const spread = <Item>(items: readonly Item[]): readonly Item[] =>
  items.filter((_, index) => index % Math.max(1, Math.ceil(items.length / looked)) === 0);

const answers = unknownAnswers(fullAnswer);

/** US dollars to a millionth, never less. */
const toMicros = (dollars: number): number => Math.ceil(dollars * 1e6) / 1e6;

/** Traces of a session that a metric of the project's own is shown at most. */
const mostShown = 50;

/** Estimates a run from the documents of some of its targets; no judge is called. */
export const estimateRun = async (
  { traces, sessions, metricOf, priceOf, budgetOf, picturesOf, usedLately }: EstimateParts,
  { project, targetType, metrics: asked, model: runModel, isChosen, shareOf, targets }: PlannedRun,
): Promise<Estimate> => {
  const plan = async (names: readonly string[]): Promise<Map<string, ModelledMetric>> => {
    const found = await Promise.all(names.map(async (name) => [name, await metricOf(project, name)] as const));
    return new Map(found.flatMap(([name, one]): [string, ModelledMetric][] => (one === null ? [] : [[name, one]])));
  };
  const used = async (planned: ReadonlyMap<string, PlannedMetric>, model: string): Promise<Map<string, UsedLately>> => {
    const judged = [...planned].filter(([, { method }]) => method === "judge");
    const found = judged.map(async ([name]) => {
      const lately = await usedLately(project, metricReference(name).name, model);
      return [name, lately] as const;
    });
    return new Map(await Promise.all(found));
  };
  // Of a session its own metrics are asked once; what every project has rests on signals of each of its traces.
  const own = targetType === "TRACE" ? [] : asked.filter((name) => metricReference(name).version !== null);
  const ofTraces = targetType === "TRACE" ? asked : own.length < asked.length ? signalNames : [];
  const [planned, customPlanned] = [await plan(ofTraces), await plan(own)];
  const asksJudge = [planned, customPlanned].some((some) =>
    [...some.values()].some(({ method }) => method === "judge"),
  );

  const isOwn = (name: string): boolean => metricReference(name).version !== null;
  /** Who judges a metric; null: nobody is asked. */
  const modelOf = (name: string, { method, model }: ModelledMetric): string | null => {
    if (isOwn(name) && method !== "judge") return null;
    return isChosen ? runModel : (model ?? runModel);
  };
  const judgedBy = (planned: ReadonlyMap<string, ModelledMetric>, model: string): Map<string, ModelledMetric> =>
    new Map([...planned].filter(([name, metric]) => modelOf(name, metric) === model));
  const named = [...planned, ...customPlanned].flatMap(([name, metric]) => modelOf(name, metric) ?? []);
  const models = [...new Set([...(asked.every(isOwn) ? [] : [runModel]), ...named])];

  const some = asksJudge ? spread(targets) : [];
  const rows = targetType === "TRACE" ? [] : await Promise.all(some.map((id) => sessions.list(project, id)));
  const sizes = rows.map(({ length }) => length);
  const shown = targetType === "TRACE" ? some : spread(rows.flat()).map(({ traceId }) => traceId);
  const tracesPerTarget = targetType === "TRACE" ? 1 : mean(sizes);
  // A document is read once, whoever is shown it.
  const seen = (
    await Promise.all(
      shown.map((id) =>
        withState(traces, project, id, async (state) =>
          state.kind === "stored"
            ? [models.map((model) => recordSize({ budgetOf, picturesOf }, model, state.trace))]
            : [],
        ),
      ),
    )
  ).flat();

  /** What one model is asked, and what that comes to; costs are null when its price is not known. */
  const shareOfModel = async (model: string, place: number) => {
    const records = seen.flatMap((sizesOf) => sizesOf[place] ?? []);
    const record = {
      tokens: Math.ceil(mean(records.map(({ tokens }) => tokens))),
      characters: mean(records.map(({ characters }) => characters)),
    };
    const together = Math.min(
      mean(sizes.map((size) => Math.min(size, mostShown))),
      budgetOf(model) / Math.max(1, record.characters),
    );
    const session = { tokens: Math.ceil(record.tokens * together), characters: record.characters * together };
    const [ofEach, ofWhole] = [judgedBy(planned, model), judgedBy(customPlanned, model)];
    const each = estimateTarget(ofEach, record, await used(ofEach, model));
    const whole = estimateTarget(ofWhole, session, await used(ofWhole, model));
    const sum = (figure: keyof JudgingEstimate): number =>
      Math.round(targets.length * (tracesPerTarget * each[figure] + whole[figure]));
    const all = { calls: sum("calls"), prompt: sum("prompt"), completion: sum("completion") };
    const price = priceOf(model);
    const cost = costOfEstimate(all, price);
    const bytes = Math.max(0, ...records.map((one) => one.bytes));
    const prompts = [
      ...[...ofEach.values()].map((metric) => promptBytes(metric, bytes)),
      ...[...ofWhole.values()].map((metric) => promptBytes(metric, Math.ceil(bytes * Math.max(1, together)))),
    ];
    const wants = price === null ? null : prompts.map((one) => wantOf(price, one, answers));
    return { all, cost: cost === null ? null : cost * shareOf(model), wants };
  };

  const parts = await Promise.all(models.map(shareOfModel));
  const total = (figure: keyof JudgingEstimate): number => parts.reduce((sum, { all }) => sum + all[figure], 0);
  const costs = parts.flatMap(({ cost }) => cost ?? []);
  const wants = parts.flatMap((part) => part.wants ?? []);
  const isPriced = costs.length === parts.length;
  const dearest = (amounts: readonly number[]): number | null => (isPriced ? toMicros(Math.max(0, ...amounts)) : null);
  return {
    targets: targets.length,
    judge_calls: total("calls"),
    prompt_tokens: total("prompt"),
    completion_tokens: total("completion"),
    cost_usd: isPriced ? Math.round(costs.reduce((sum, cost) => sum + cost, 0) * 1e9) / 1e9 : null,
    set_aside_usd: dearest(wants.map(({ most }) => most)),
    least_usd: dearest(wants.map(({ least }) => least)),
  };
};
