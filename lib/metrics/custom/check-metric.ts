import { hash } from "node:crypto";
import { conditionsOf, usesExpectedOutput } from "../../domain/checks/check.ts";
import { prepareCheck } from "../../domain/checks/evaluate.ts";
import { readCheck } from "../../domain/checks/read-check.ts";
import type { CheckMetricDefinition, CustomMetricVersion } from "../../domain/metrics/custom/definition.ts";
import { type JudgementBasis } from "../../domain/scores/automated-score.ts";
import { judgeIdentity } from "../../domain/scores/score.ts";
import type { CheckMetric } from "../../judge/verdict/computed-metrics.ts";
import { toolCalls } from "../trace/tool-calls.ts";

/** Version of the evaluation algorithm of checks; it changes when the same conditions would give another result. */
const evaluationVersion = 3;

/**
 * Builds a check metric from a version of a custom metric. It scores a trace 1 if the check holds and 0 if not. A trace without
 * the input of the check gets a score that is not applicable; a trace that does not tell, or that can still change the result,
 * gets none. Patterns and schemas are compiled once for all traces.
 *
 * @throws Error for a stored check that this version of the service cannot parse.
 */
export const checkMetric = (
  { name }: Pick<CustomMetricVersion, "name">,
  { check: storedCheck, description, threshold }: CheckMetricDefinition,
): CheckMetric => {
  const { check, flaws } = readCheck(storedCheck);
  if (check === null) throw new Error(`The check ${name} cannot be read: ${flaws[0]?.msg}`);
  const evaluate = prepareCheck(check);
  const version = hash("sha256", JSON.stringify([evaluationVersion, name, check])).slice(0, 12);
  const judge = judgeIdentity(`assay/${name}`, version);
  return {
    method: "check",
    name,
    description,
    category: "trace",
    threshold,
    usesExpectedOutput: conditionsOf(check).some(usesExpectedOutput),
    verdict: (trace, traceVersion, expectedOutput) => {
      const { holds, inapplicable, reason, details, spans } = evaluate({
        trace,
        expectedOutput,
        calls: () => toolCalls(trace),
      });
      const cited = spans.map(({ id }) => ({ span_id: id, quote: null }));
      const grounds: JudgementBasis = { judge, inapplicable, evidence: { cited, dropped: 0 }, traceVersion };
      const commonMetadata = { cost_usd: 0, attempts: 0, trace_version: traceVersion, ...details };
      if (inapplicable !== null) {
        // No trace passes a check by having nothing to check, not even for a reader who ignores `applicable`.
        return { kind: "scored", value: 0, reason, metadata: { ...commonMetadata, threshold, success: null }, grounds };
      }
      if (holds === null) {
        const code = "insufficient_evidence";
        return { kind: "failed", code, reason, metadata: { code, ...commonMetadata }, grounds };
      }
      const value = holds ? 1 : 0;
      return {
        kind: "scored",
        value,
        reason,
        metadata: { ...commonMetadata, threshold, success: value >= threshold },
        grounds,
      };
    },
  };
};
