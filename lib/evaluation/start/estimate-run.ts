import { metricReference } from "../../domain/metrics/own/reference.ts";
import { signalNames } from "../../domain/scores/signals.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import {
  costOfEstimate,
  estimateTarget,
  promptBytes,
  type PlannedMetric,
  type UsedLately,
} from "../../judge/prices/estimate.ts";
import { likelyTokens } from "../../judge/prices/text-tokens.ts";
import { fullAnswer } from "../../judge/providers/provider.ts";
import { wantOf } from "../../judge/spending/funds.ts";
import { unknownAnswers } from "../../judge/spending/usual-answers.ts";
import { pictureBytes } from "../../judge/spending/call-cost.ts";
import { traceWithPictures } from "../../judge/transcript/binary.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { Price } from "../../judge/prices/price.ts";
import { renderTranscript } from "../../judge/transcript/transcript.ts";
import { withState } from "../../store/traces/large-documents.ts";
import type { SessionRows } from "../../store/sessions/rows.ts";
import type { TraceReader } from "../../store/traces/reader.ts";

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

export interface EstimateParts {
  readonly traces: Pick<TraceReader, "read" | "readSmall">;
  readonly sessions: Pick<SessionRows, "list">;
  /** A metric that a judge or a comparison answers, by its name; of a project's own by `name@version`. */
  readonly metricOf: (project: string, name: string) => Promise<PlannedMetric | null>;
  /** Characters of a model's transcripts at most. */
  readonly budgetOf: (model: string) => number;
  /** Pictures that a model is sent at most. */
  readonly picturesOf: (model: string) => number;
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

/** What a picture takes as a rule; what it may come to is set aside, see `pictureBytes`. */
const pictureTokens = 1500;

const recordOf = (given: Trace, budget: number, most: number) => {
  const { trace, pictures } = traceWithPictures(given, most);
  const { text } = renderTranscript(trace, budget);
  return {
    tokens: likelyTokens(text) + pictures.length * pictureTokens,
    characters: text.length,
    bytes: Buffer.byteLength(text) + pictures.length * pictureBytes,
  };
};

/** Estimates a run from the documents of some of its targets; no judge is called. */
export const estimateRun = async (
  { traces, sessions, metricOf, priceOf, budgetOf, picturesOf, usedLately }: EstimateParts,
  { project, targetType, metrics: asked, model, share, targets }: PlannedRun,
): Promise<Estimate> => {
  const some = spread(targets);
  const names: readonly string[] = targetType === "TRACE" ? asked : signalNames;
  const rows = targetType === "TRACE" ? [] : await Promise.all(some.map((id) => sessions.list(project, id)));
  const tracesPerTarget = targetType === "TRACE" ? 1 : mean(rows.map(({ length }) => length));
  const shown = targetType === "TRACE" ? some : spread(rows.flat()).map(({ traceId }) => traceId);
  const records = (
    await Promise.all(
      shown.map((id) =>
        withState(traces, project, id, async (state) =>
          state.kind === "stored" ? [recordOf(state.trace, budgetOf(model), picturesOf(model))] : [],
        ),
      ),
    )
  ).flat();
  const record = {
    tokens: Math.ceil(mean(records.map(({ tokens }) => tokens))),
    characters: mean(records.map(({ characters }) => characters)),
  };
  const judged = targets.length * tracesPerTarget;
  const known = await Promise.all(names.map(async (name) => [name, await metricOf(project, name)] as const));
  const planned = new Map(
    known.flatMap(([name, metric]): [string, PlannedMetric][] => (metric === null ? [] : [[name, metric]])),
  );
  const lately = await Promise.all(
    [...planned].flatMap(([name, { method }]) =>
      method === "judge"
        ? [usedLately(project, metricReference(name).name, model).then((used) => [name, used] as const)]
        : [],
    ),
  );
  const one = estimateTarget(planned, record, new Map(lately));
  const all = {
    calls: Math.round(judged * one.calls),
    prompt: Math.round(judged * one.prompt),
    completion: Math.round(judged * one.completion),
  };
  const price = priceOf(model);
  const cost = costOfEstimate(all, price);
  const bytes = Math.max(0, ...records.map((each) => each.bytes));
  const wants =
    price === null ? [] : [...planned.values()].map((metric) => wantOf(price, promptBytes(metric, bytes), answers));
  const dearest = (amounts: readonly number[]): number | null =>
    price === null ? null : toMicros(Math.max(0, ...amounts));
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
