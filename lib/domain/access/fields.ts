import type { Fields, ValuesOf } from "../fields.ts";
import { maxMaskingRules, noMasking } from "../masking/rules.ts";

const rules = { kind: "texts", max: maxMaskingRules, default: [] } as const;

/** Settings of a project. The contract describes them. */
export const projectFields = {
  name: { kind: "text", max: 255, nullInUpdate: "keeps" },
  description: { kind: "text", max: 2000, default: "", nullInUpdate: "keeps" },
  /** Metadata keys whose values are copied into trace rows, so that traces can be filtered by them. */
  metadata_keys: { kind: "texts", max: 10, default: [], nullInUpdate: "keeps" },
  /** Seconds without a new span after which a trace without a top span has ended. */
  trace_silence: { kind: "integer", min: 60, max: 86_400, default: 600, nullInUpdate: "keeps" },
  /** Rules by which texts are masked before anything of them is stored. */
  masking: {
    kind: "group",
    fields: { keys: rules, paths: rules, presets: rules },
    default: noMasking,
    nullInUpdate: "keeps",
  },
} as const satisfies Fields;

export type ProjectSettings = ValuesOf<typeof projectFields>;
