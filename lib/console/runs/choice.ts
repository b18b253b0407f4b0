import type { EvalRun, Metric, RunEstimate } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import { runFiltersIn } from "../traces/trace-filters.ts";

/** What a run is about: what is listed, or what the filters of the address match. */
export type Targets =
  | { readonly kind: "traces" | "sessions"; readonly ids: readonly string[] }
  | { readonly kind: "matching" };

/** What is said of a run before it begins, as it stands in its fields. */
export interface RunChoice {
  readonly metrics: readonly string[];
  /** Share of what matches, from 0 to 1. */
  readonly sampling: number;
  /** US dollars, as written; empty: no ceiling. */
  readonly ceiling: string;
  /** `<provider>/<model>`; empty: the service's own. */
  readonly model: string;
}

export const noChoice: RunChoice = { metrics: ["task_completion"], sampling: 1, ceiling: "", model: "" };

/** The ceiling in US dollars; null where there is none. */
export const ceilingOf = ({ ceiling }: RunChoice): number | null => {
  const number = Number(ceiling.replace(",", "."));
  return ceiling.trim() === "" || Number.isNaN(number) ? null : number;
};

type Query = Readonly<Record<string, string>>;

const bodyOf = (choice: RunChoice) => {
  const { metrics, model } = choice;
  const ceiling = ceilingOf(choice);
  return {
    metrics,
    ...(model.trim() === "" ? {} : { model: model.trim() }),
    ...(ceiling === null ? {} : { max_cost_usd: ceiling }),
  };
};

/** The metrics that fit the targets. */
export const metricsOf = async ({ kind }: Targets, signal: AbortSignal): Promise<readonly Metric[]> =>
  kind === "sessions"
    ? await client.value.listSessionMetrics(undefined, { signal })
    : await client.value.listTraceMetrics(undefined, { signal });

/** What the run would come to; nothing is made. */
export const estimateOf = async (
  targets: Targets,
  choice: RunChoice,
  query: Query,
  signal?: AbortSignal,
): Promise<RunEstimate> => {
  const dry = { dry_run: true } as const;
  const body = bodyOf(choice);
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
  const matching = { ...body, filters: runFiltersIn(query), sampling_rate: choice.sampling };
  return await client.value.createTraceRun({ query: dry, body: matching }, { signal });
};

/** Makes the run. */
export const startOf = async (targets: Targets, choice: RunChoice, query: Query): Promise<EvalRun> => {
  const body = bodyOf(choice);
  if (targets.kind === "traces")
    return await client.value.createTraceBatchRun({ body: { ...body, trace_ids: targets.ids } });
  if (targets.kind === "sessions")
    return await client.value.createSessionBatchRun({ body: { ...body, session_ids: targets.ids } });
  return await client.value.createTraceRun({
    body: { ...body, filters: runFiltersIn(query), sampling_rate: choice.sampling },
  });
};
