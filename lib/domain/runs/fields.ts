import type { Fields } from "../fields.ts";
import { cascadeFields } from "./cascade.ts";
import { serviceTiers } from "./tier.ts";

/** Settings that runs and monitors have in common, beside metrics and filters. The contract describes them. */
export const runFields = {
  sampling_rate: { kind: "number", min: 0, max: 1, default: 1, stored: "samplingRate" },
  model: { kind: "text", max: 255, nullable: true },
  judge: { kind: "group", fields: cascadeFields, nullable: true },
  signal_weights: { kind: "numbers", nullable: true, stored: "signalWeights" },
  max_cost_usd: { kind: "number", min: 0.000001, max: 1_000_000, nullable: true, stored: "maxCostUsd" },
  tier: { kind: "one_of", values: serviceTiers, nullable: true },
} as const satisfies Fields;
