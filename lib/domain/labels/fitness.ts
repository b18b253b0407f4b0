import { kappaOf, skillOf } from "./agreement.ts";
import { labelCounts, type Confusion } from "./confusion.ts";

/** What a judge is good enough for, the most demanding use first. */
export const uses = ["gate", "trend", "exploration", "unknown"] as const;

interface Fitness {
  readonly fit_for: (typeof uses)[number];
  /** Sentence that says why. */
  readonly reason: string;
}

/** What a gate needs: labels in all, labels of each class, and the lower end of kappa. */
const gateNeeds = { labels: 100, ofClass: 20, kappa: 0.6 };

/** What a trend needs: the lower end of sensitivity + specificity - 1 is above it. */
const trendSkill = 0.3;

const text = (value: number | null): string => (value === null ? "unknown" : value.toFixed(2));

/** Says what a judge is fit for by its confusion table; lower ends are those of 95 % intervals. */
export const fitnessOf = (confusion: Confusion): Fitness => {
  const { all, passing, failing } = labelCounts(confusion);
  const [kappa, skill] = [kappaOf(confusion), skillOf(confusion)];
  const isTooFew = all < gateNeeds.labels || Math.min(passing, failing) < gateNeeds.ofClass;
  const counts = `${all} labels, ${passing} passing and ${failing} failing`;
  if (!isTooFew && kappa.lower !== null && kappa.lower >= gateNeeds.kappa)
    return { fit_for: "gate", reason: `Kappa is ${text(kappa.lower)} or more, by ${counts}.` };
  if (skill === null) return { fit_for: "unknown", reason: `Labels of both kinds are needed; there are ${counts}.` };
  const measured = `Sensitivity + specificity - 1 is ${text(skill.value)}, at least ${text(skill.lower)}`;
  if (skill.lower <= 0)
    return {
      fit_for: "unknown",
      reason:
        skill.value <= 0
          ? `The judge is no better than chance: ${measured}, by ${counts}.`
          : `The judge may be no better than chance: ${measured}, by ${counts}.`,
    };
  const lack = isTooFew
    ? `a gate needs ${gateNeeds.labels} labels with ${gateNeeds.ofClass} of each kind, and there are ${counts}`
    : `a gate needs a kappa of at least ${gateNeeds.kappa}, and its lower end is ${text(kappa.lower)}`;
  return skill.lower > trendSkill
    ? { fit_for: "trend", reason: `${measured}; ${lack}.` }
    : { fit_for: "exploration", reason: `${measured}; a trend needs more than ${trendSkill}, by ${counts}.` };
};
