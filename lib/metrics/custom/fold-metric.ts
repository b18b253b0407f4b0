import { createHash } from "node:crypto";
import { folded, readFold } from "../../domain/metrics/fold.ts";
import type { FoldDefinition, CustomVersion } from "../../domain/metrics/custom/definition.ts";
import type { Grounds } from "../../domain/scores/automated-score.ts";
import { judgeIdentity } from "../../domain/scores/judge-identity.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { FoldedMetric } from "../../judge/folded-metric.ts";

/** Changes when the same scores would be folded in another way. */
const arithmetic = 1;

/**
 * A version of a team's own fold.
 *
 * @throws Error for a fold that cannot be read: it was kept by another version of the service.
 */
export const foldMetric = (
  { name }: Pick<CustomVersion, "name">,
  { fold: kept, description, threshold }: FoldDefinition,
): FoldedMetric => {
  const flaws: string[] = [];
  const fold = readFold(kept, (_, msg) => flaws.push(msg));
  if (fold === null) throw new Error(`The fold ${name} cannot be read: ${flaws[0]}`);
  const version = createHash("sha256")
    .update(JSON.stringify([arithmetic, name, fold]))
    .digest("hex")
    .slice(0, 12);
  const judge = judgeIdentity(`assay/${name}`, version);
  const grounds: Grounds = { judge, inapplicable: null, evidence: null, traceVersion: null };
  return {
    method: "fold",
    name,
    description,
    category: "session",
    threshold,
    over: fold.over,
    judgement: (scores) => {
      const { value: exact, reason, details } = folded(fold, scores);
      const told = { cost_usd: 0, attempts: 0, ...details };
      if (exact === null) return { value: null, reason, metadata: { code: "no_signals", ...told }, grounds };
      const value = rounded(exact);
      return { value, reason, metadata: { ...told, threshold, success: value >= threshold }, grounds };
    },
  };
};
