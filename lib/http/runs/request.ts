import type { InferOutput } from "valibot";
import type { signalWeights } from "../../contract/runs/fields.ts";
import type { ServiceTier } from "../../domain/runs/tier.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import type { RunRequest } from "../../evaluation/start/start-run.ts";

/** Fields common to all bodies that create a run, except the selection of its targets. */
interface RunBody {
  readonly name?: string | null | undefined;
  readonly metrics: readonly string[];
  readonly model?: string | null | undefined;
  readonly signal_weights?: InferOutput<typeof signalWeights>;
  readonly max_cost_usd?: number | null | undefined;
  readonly tier?: ServiceTier | null | undefined;
}

/** Returns the run request of a body, with null for absent fields. */
export const runRequest = (id: string, projectId: string, targetType: TargetType, body: RunBody): RunRequest => ({
  id,
  projectId,
  name: body.name ?? null,
  targetType,
  metrics: body.metrics,
  model: body.model ?? null,
  signalWeights: body.signal_weights ?? null,
  maxCostUsd: body.max_cost_usd ?? null,
  tier: body.tier ?? null,
});
