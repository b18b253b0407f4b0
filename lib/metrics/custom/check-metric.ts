import { createHash } from "node:crypto";
import { preparedCheck } from "../../domain/checks/evaluate.ts";
import { readCheck } from "../../domain/checks/read-check.ts";
import type { CheckDefinition, CustomVersion } from "../../domain/metrics/custom/definition.ts";
import type { Grounds } from "../../domain/scores/automated-score.ts";
import { judgeIdentity } from "../../domain/scores/judge-identity.ts";
import type { CheckedMetric } from "../../judge/checked-metric.ts";
import { toolCalls } from "../trace/tool-calls.ts";

/** Changes when the same conditions would be looked at in another way. */
const reading = 1;

/**
 * A version of a team's own check. Of a trace it says 1 where the check holds, 0 where it does not, and nothing where the trace
 * does not tell. Patterns and schemas are read once, for all traces.
 *
 * @throws Error for a check that cannot be read: it was kept by another version of the service.
 */
export const checkMetric = (
  { name }: Pick<CustomVersion, "name">,
  { check: kept, description, threshold }: CheckDefinition,
): CheckedMetric => {
  const { check, flaws } = readCheck(kept);
  if (check === null) throw new Error(`The check ${name} cannot be read: ${flaws[0]?.msg}`);
  const look = preparedCheck(check);
  const version = createHash("sha256")
    .update(JSON.stringify([reading, name, check]))
    .digest("hex")
    .slice(0, 12);
  const judge = judgeIdentity(`assay/${name}`, version);
  return {
    method: "check",
    name,
    description,
    category: "trace",
    threshold,
    verdict: (trace, traceVersion) => {
      const { holds, reason, details, spans } = look({ trace, calls: () => toolCalls(trace) });
      const cited = spans.map(({ id }) => ({ span_id: id, quote: null }));
      const grounds: Grounds = { judge, inapplicable: null, evidence: { cited, dropped: 0 }, traceVersion };
      const told = { cost_usd: 0, attempts: 0, trace_version: traceVersion, ...details };
      if (holds === null) {
        const code = "insufficient_evidence";
        return { kind: "failed", code, reason, metadata: { code, ...told }, grounds };
      }
      const value = holds ? 1 : 0;
      return { kind: "scored", value, reason, metadata: { ...told, threshold, success: value >= threshold }, grounds };
    },
  };
};
