import type { Fields, ValuesOf } from "../fields.ts";
import { runFields } from "../runs/fields.ts";

/** Settings of a monitor. The contract describes them. */
export const monitorFields = {
  name: { kind: "name", max: 1024 },
  metrics: { kind: "texts", max: 1000 },
  /** Filters of traces or sessions, as requested. */
  filters: { kind: "object", default: {}, nullInUpdate: "resets" },
  cadence: { kind: "text", max: 255 },
  sampling_rate: runFields.sampling_rate,
  model: runFields.model,
  judge: runFields.judge,
  only_if_changed: { kind: "boolean", default: true, stored: "onlyIfChanged" },
  scope: { kind: "one_of", values: ["all", "changed"], default: "all" },
  alert_if_stopped: { kind: "boolean", default: true, stored: "alertIfStopped" },
  signal_weights: runFields.signal_weights,
  max_cost_usd: runFields.max_cost_usd,
  tier: runFields.tier,
} as const satisfies Fields;

/** Settings of a monitor that the user can change. */
export type MonitorSettings = ValuesOf<typeof monitorFields>;
