import type { ValuesOf } from "../../domain/fields.ts";
import { withFullNames } from "../../domain/runs/cascade.ts";
import type { runFields } from "../../domain/runs/fields.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import type { RunRequest } from "../../evaluation/start/start-run.ts";

type RunSettings = ValuesOf<typeof runFields>;

/** Fields common to all bodies that create a run, except the selection of its targets. */
interface RunBody extends Pick<RunSettings, "model" | "max_cost_usd" | "tier"> {
  readonly name?: string | null | undefined;
  readonly metrics: readonly string[];
  readonly judge?: RunSettings["judge"];
  readonly signal_weights?: RunSettings["signal_weights"];
}

/** Returns the settings of a body that the cost of its run depends on. */
export const estimateRequest = ({ model, judge, tier }: RunBody) => ({
  model,
  judge: judge ? withFullNames(judge) : null,
  tier,
});

/** Returns the run request of a body, with null for absent fields. */
export const runRequest = (id: string, projectId: string, targetType: TargetType, body: RunBody): RunRequest => {
  const judge = body.judge ? withFullNames(body.judge) : undefined;
  return {
    id,
    projectId,
    name: body.name ?? null,
    targetType,
    metrics: body.metrics,
    model: judge?.first ?? body.model,
    judge,
    signalWeights: body.signal_weights ?? null,
    maxCostUsd: body.max_cost_usd,
    tier: body.tier,
  };
};
