import type { LabelInput } from "../../contract/labels/label-items.ts";
import { instantAt } from "../../domain/instant.ts";
import type { PersonLabels, Labeller, LabelSetSettings } from "../../domain/labels/label-set.ts";
import { labelFlaw, normalizedLabel } from "../../domain/labels/scale.ts";
import { nameAdvice } from "../../domain/nearest-name.ts";
import type { MaskingRules } from "../../domain/masking/rules.ts";
import { maskScore } from "../../domain/scores/mask.ts";
import { invalid } from "../../domain/refusal.ts";

/** Returns the labels of a request as they are stored. @throws Refusal `invalid` for an unknown metric and a value that its scale lacks. */
export const sentLabels = (
  { metrics }: Pick<LabelSetSettings, "metrics">,
  labeller: Labeller,
  { labels, note }: Pick<LabelInput, "labels" | "note">,
  loc: readonly (string | number)[],
  masking: MaskingRules,
): PersonLabels => {
  const values = new Map<string, string | null>();
  for (const [name, value] of Object.entries(labels)) {
    const scale = metrics.find((metric) => metric.name === name)?.scale;
    const names = metrics.map((metric) => metric.name);
    if (scale === undefined)
      throw invalid(
        [...loc, "labels", name],
        `The set has no metric "${name}"${nameAdvice(name, names)}`,
        "unknown_metric",
      );
    const flaw = value === null ? null : labelFlaw(scale, value);
    if (flaw !== null) throw invalid([...loc, "labels", name], flaw);
    values.set(name, value === null ? null : normalizedLabel(scale, value));
  }
  return {
    labeller,
    values: Object.fromEntries([...values].flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
    cannotTell: [...values].flatMap(([name, value]) => (value === null ? [name] : [])),
    note: maskScore(masking, { reason: note ?? null }, "NUMERIC").reason,
    createdAt: instantAt(Date.now()),
  };
};
