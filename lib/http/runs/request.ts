import type { InferOutput } from "valibot";
import type { signalWeights } from "../../contract/runs/fields.ts";
import type { judgeCascade } from "../../contract/runs/judge-cascade.ts";
import type { ServiceTier } from "../../domain/runs/tier.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { cascadeOf } from "./judge-cascade.ts";
import type { RunRequest } from "../../evaluation/start/start-run.ts";

/** Fields common to all bodies that create a run, except the selection of its targets. */
interface RunBody {
  readonly name?: string | null | undefined;
  readonly metrics: readonly string[];
  readonly model?: string | null | undefined;
  readonly judge?: InferOutput<typeof judgeCascade>;
  readonly signal_weights?: InferOutput<typeof signalWeights>;
  readonly max_cost_usd?: number | null | undefined;
  readonly tier?: ServiceTier | null | undefined;
}

/** Returns the settings of a body that the cost of its run depends on. */
export const estimateRequest = ({ model, judge, tier }: RunBody) => ({ model, judge: cascadeOf(judge), tier });

/** Returns the run request of a body, with null for absent fields. */
export const runRequest = (id: string, projectId: string, targetType: TargetType, body: RunBody): RunRequest => {
  const judge = cascadeOf(body.judge) ?? undefined;
  return {
    id,
    projectId,
    name: body.name ?? null,
    targetType,
    metrics: body.metrics,
    model: judge?.first ?? body.model ?? null,
    judge,
    signalWeights: body.signal_weights ?? null,
    maxCostUsd: body.max_cost_usd ?? null,
    tier: body.tier ?? null,
  };
};
