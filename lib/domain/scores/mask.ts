import { maskerOf } from "../masking/masker.ts";
import { stepInto } from "../masking/path.ts";
import { maskRecord } from "../masking/record.ts";
import type { MaskingRules } from "../masking/rules.ts";
import type { Score } from "./score.ts";

const forms = { name: 1024, reason: Number.MAX_SAFE_INTEGER, metadata: "entries" } as const;
const categoryForms = { ...forms, value: 255 };

/** Masks the texts of a score as it was sent, or of a change of one. @param type data type of the score; the value of a category is a text. */
export const maskScore = <Sent extends object>(rules: MaskingRules, sent: Sent, type: Score["data_type"]): Sent => {
  const masker = maskerOf(rules);
  if (masker === null) return sent;
  return maskRecord(
    masker,
    sent,
    type === "CATEGORICAL" ? categoryForms : forms,
    stepInto(stepInto(masker.paths, "scores"), "*"),
  );
};
