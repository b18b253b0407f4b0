import { signalNames } from "../../domain/scores/signals.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { costOfEstimate, dearestPair, estimateTarget, type PlannedMetric } from "../../judge/prices/estimate.ts";
import type { Price } from "../../judge/prices/price.ts";
import { longestTranscript, renderTranscript } from "../../judge/transcript/transcript.ts";
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
}

/** Targets whose documents are looked at. */
const looked = 20;

export interface EstimateParts {
  readonly traces: Pick<TraceReader, "read" | "readSmall">;
  readonly sessions: Pick<SessionRows, "list">;
  /** Every metric a judge or a comparison answers, by name. */
  readonly metrics: Readonly<Record<string, PlannedMetric>>;
  readonly priceOf: (model: string) => Price | null;
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

/** Estimates a run from the documents of some of its targets; no judge is called. */
export const estimateRun = async (
  { traces, sessions, metrics, priceOf }: EstimateParts,
  { project, targetType, metrics: asked, model, share, targets }: PlannedRun,
): Promise<Estimate> => {
  const some = spread(targets);
  const names: readonly string[] = targetType === "TRACE" ? asked : signalNames;
  const rows = targetType === "TRACE" ? [] : await Promise.all(some.map((id) => sessions.list(project, id)));
  const tracesPerTarget = targetType === "TRACE" ? 1 : mean(rows.map(({ length }) => length));
  const shown = targetType === "TRACE" ? some : spread(rows.flat()).map(({ traceId }) => traceId);
  const lengths = await Promise.all(
    shown.map((id) =>
      withState(traces, project, id, async (state) =>
        state.kind === "stored" ? [renderTranscript(state.trace, longestTranscript).text.length] : [],
      ),
    ),
  );
  const characters = mean(lengths.flat());
  const judged = targets.length * tracesPerTarget;
  const one = estimateTarget(
    names.flatMap((name) => metrics[name] ?? []),
    characters,
  );
  const all = {
    calls: Math.round(judged * one.calls),
    prompt: Math.round(judged * one.prompt),
    completion: Math.round(judged * one.completion),
  };
  const price = priceOf(model);
  const cost = costOfEstimate(all, price);
  return {
    targets: targets.length,
    judge_calls: all.calls,
    prompt_tokens: all.prompt,
    completion_tokens: all.completion,
    cost_usd: cost === null ? null : Math.round(cost * share * 1e9) / 1e9,
    set_aside_usd: price === null ? null : dearestPair(Object.values(metrics), price),
  };
};
