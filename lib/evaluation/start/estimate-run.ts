import { metricReference } from "../../domain/metrics/own/reference.ts";
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

export interface EstimateParts extends RecordSettings {
  readonly traces: Pick<TraceReader, "read" | "readSmall">;
  readonly sessions: Pick<SessionRows, "list">;
  /** A metric that a judge or a comparison answers, by its name; of a project's own by `name@version`. */
  readonly metricOf: (project: string, name: string) => Promise<PlannedMetric | null>;
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
  /** Of the standard price that its calls are expected to cost: the flex tier has another. */
  readonly share: number;
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
  { project, targetType, metrics: asked, model, share, targets }: PlannedRun,
): Promise<Estimate> => {
  const plan = async (names: readonly string[]): Promise<Map<string, PlannedMetric>> => {
    const found = await Promise.all(names.map(async (name) => [name, await metricOf(project, name)] as const));
    return new Map(found.flatMap(([name, one]): [string, PlannedMetric][] => (one === null ? [] : [[name, one]])));
  };
  const used = async (planned: ReadonlyMap<string, PlannedMetric>): Promise<Map<string, UsedLately>> => {
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
  const [planned, ownPlanned] = [await plan(ofTraces), await plan(own)];
  const asksJudge = [planned, ownPlanned].some((some) => [...some.values()].some(({ method }) => method === "judge"));

  const some = asksJudge ? spread(targets) : [];
  const rows = targetType === "TRACE" ? [] : await Promise.all(some.map((id) => sessions.list(project, id)));
  const sizes = rows.map(({ length }) => length);
  const shown = targetType === "TRACE" ? some : spread(rows.flat()).map(({ traceId }) => traceId);
  const budget = budgetOf(model);
  const records = (
    await Promise.all(
      shown.map((id) =>
        withState(traces, project, id, async (state) =>
          state.kind === "stored" ? [recordSize({ budgetOf, picturesOf }, model, state.trace)] : [],
        ),
      ),
    )
  ).flat();
  const record = {
    tokens: Math.ceil(mean(records.map(({ tokens }) => tokens))),
    characters: mean(records.map(({ characters }) => characters)),
  };
  const together = Math.min(
    mean(sizes.map((size) => Math.min(size, mostShown))),
    budget / Math.max(1, record.characters),
  );
  const session = { tokens: Math.ceil(record.tokens * together), characters: record.characters * together };
  const each = estimateTarget(planned, record, await used(planned));
  const whole = estimateTarget(ownPlanned, session, await used(ownPlanned));
  const tracesPerTarget = targetType === "TRACE" ? 1 : mean(sizes);
  const sum = (figure: keyof JudgingEstimate): number =>
    Math.round(targets.length * (tracesPerTarget * each[figure] + whole[figure]));
  const all = { calls: sum("calls"), prompt: sum("prompt"), completion: sum("completion") };
  const isFree = !asksJudge && asked.every((name) => metricReference(name).version !== null);
  const price = priceOf(model);
  const cost = isFree ? 0 : costOfEstimate(all, price);
  const bytes = Math.max(0, ...records.map((one) => one.bytes));
  const wants =
    price === null
      ? []
      : [
          ...[...planned.values()].map((metric) => promptBytes(metric, bytes)),
          ...[...ownPlanned.values()].map((metric) => promptBytes(metric, Math.ceil(bytes * Math.max(1, together)))),
        ].map((prompts) => wantOf(price, prompts, answers));
  const dearest = (amounts: readonly number[]): number | null =>
    price === null && !isFree ? null : toMicros(Math.max(0, ...amounts));
  return {
    targets: targets.length,
    judge_calls: all.calls,
    prompt_tokens: all.prompt,
    completion_tokens: all.completion,
    cost_usd: cost === null ? null : Math.round(cost * share * 1e9) / 1e9,
    set_aside_usd: dearest(wants.map(({ most }) => most)),
    least_usd: dearest(wants.map(({ least }) => least)),
  };
};
