import type { EvalRun, EvalRunInput, Metric, RunEstimate } from "../../client/interface.ts";
import { numberIn } from "../parts/form-bindings.ts";
import { client } from "../sign-in.ts";
import { parseRunFilters } from "../traces/trace-filters.ts";

/** Targets of a run: a list of ids, or all traces that match the filters of the URL. */
export type RunTargets =
  | { readonly kind: "traces" | "sessions"; readonly ids: readonly string[] }
  | {
      readonly kind: "matching";
      /** Filters of the page, in the form of the URL, which win over the URL's. */
      readonly fixed?: Readonly<Record<string, string>>;
    };

/** Form state of a new run. */
export interface RunOptions {
  readonly metrics: readonly string[];
  /** Sampling rate of the matching traces, from 0 to 1. */
  readonly sampling: number;
  /** Max cost in US dollars, as typed; empty for none, null for the proposed one. */
  readonly ceiling: string | null;
  /** Judge model, `<provider>/<model>`; empty for the service's default. */
  readonly model: string;
  /** Chat model that is asked again about uncertain verdicts of a decision model; empty for none. */
  readonly secondModel: string;
}

/** Initial form state of a new run. */
export const defaultRunOptions: RunOptions = {
  metrics: ["task_completion"],
  sampling: 1,
  ceiling: null,
  model: "",
  secondModel: "",
};

/** Parses a ceiling in US dollars; null if it is empty, NaN if it is not a number. */
export const parseCeiling = (text: string): number | null => (text.trim() === "" ? null : numberIn(text));

/** Share of the estimated cost that a proposed ceiling covers. */
const ceilingShare = 1.5;

/**
 * Returns the text of a run's ceiling. Unless one is typed, it is proposed, in whole cents: half more than the estimated cost, and
 * what the most expensive judgement reserves, so that no judgement waits for another one. Nothing is proposed for a run without cost or
 * with an unknown one.
 */
export const ceilingText = (typed: string | null, estimate: RunEstimate | null): string => {
  if (typed !== null) return typed;
  const cost = estimate?.cost_usd ?? 0;
  return cost === 0 ? "" : (Math.ceil((cost * ceilingShare + (estimate?.set_aside_usd ?? 0)) * 100) / 100).toFixed(2);
};

type Query = Readonly<Record<string, string>>;

/** Returns true if a second judge can be asked about the uncertain verdicts of a model. */
export const hasConfidence = (model: string): boolean => /^(?:openai-decisions|systemone)\//u.test(model.trim());

/** Returns the fields of a body that name its judges. */
export const judgesOf = ({ model, secondModel }: RunOptions) => {
  const [first, to] = [model.trim(), secondModel.trim()];
  if (hasConfidence(first) && to !== "") return { judge: { first, escalate: { to } } };
  return first === "" ? {} : { model: first };
};

const bodyOf = (options: RunOptions): Omit<EvalRunInput, "filters" | "sampling_rate"> => {
  const ceiling = parseCeiling(options.ceiling ?? "");
  return {
    metrics: options.metrics,
    ...judgesOf(options),
    ...(ceiling === null ? {} : { max_cost_usd: ceiling }),
  };
};

const filtersOf = (targets: RunTargets, query: Query) =>
  parseRunFilters({ ...query, ...(targets.kind === "matching" && targets.fixed) });

/** Returns the metrics for this kind of targets. */
export const metricsFor = async ({ kind }: RunTargets, signal: AbortSignal): Promise<readonly Metric[]> =>
  kind === "sessions"
    ? await client.value.listSessionMetrics(undefined, { signal })
    : await client.value.listTraceMetrics(undefined, { signal });

/** Estimates the calls and cost of a run by a dry run. */
export const estimateRun = async (
  targets: RunTargets,
  options: RunOptions,
  query: Query,
  signal?: AbortSignal,
): Promise<RunEstimate> => {
  const dry = { dry_run: true } as const;
  const body = bodyOf(options);
  if (targets.kind === "traces")
    return await client.value.createTraceBatchRun(
      { query: dry, body: { ...body, trace_ids: targets.ids } },
      { signal },
    );
  if (targets.kind === "sessions")
    return await client.value.createSessionBatchRun(
      { query: dry, body: { ...body, session_ids: targets.ids } },
      { signal },
    );
  const matching = { ...body, filters: filtersOf(targets, query), sampling_rate: options.sampling };
  return await client.value.createTraceRun({ query: dry, body: matching }, { signal });
};

/** Creates the run. */
export const startRun = async (targets: RunTargets, options: RunOptions, query: Query): Promise<EvalRun> => {
  const body = bodyOf(options);
  if (targets.kind === "traces")
    return await client.value.createTraceBatchRun({ body: { ...body, trace_ids: targets.ids } });
  if (targets.kind === "sessions")
    return await client.value.createSessionBatchRun({ body: { ...body, session_ids: targets.ids } });
  return await client.value.createTraceRun({
    body: { ...body, filters: filtersOf(targets, query), sampling_rate: options.sampling },
  });
};
