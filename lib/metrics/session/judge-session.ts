import { hash } from "node:crypto";
import { type Judgement } from "../../domain/scores/automated-score.ts";
import { judgeIdentity } from "../../domain/scores/score.ts";
import type { SignalWeights } from "../../domain/scores/signals.ts";
import { agentConsistency } from "./agent-consistency.ts";
import { agentReliability } from "./agent-reliability.ts";
import { sessionCatalogue, type SessionMetricName } from "./catalogue.ts";
import type { SessionScorer, SignalsByTrace } from "./signal-risks.ts";

const definitions: Readonly<Record<SessionMetricName, SessionScorer>> = {
  agent_consistency: agentConsistency,
  agent_reliability: agentReliability,
};

/** Version of the session metrics' algorithms; it changes when the same trace scores would give another session score. */
const algorithmVersion = 1;

/** Computes the judge identity stored with a session score, from the metric, its algorithm's version and the signal weights. */
const identityOf = (metric: SessionMetricName, weights: SignalWeights) =>
  judgeIdentity(`assay/${metric}`, hash("sha256", JSON.stringify([metric, algorithmVersion, weights])).slice(0, 12));

const isSessionMetric = (name: string): name is SessionMetricName => Object.hasOwn(definitions, name);

/**
 * Computes a session metric from the scores of the session's traces that it uses (signals). The metadata has at most 16 KB as JSON; without a score
 * it begins with the failure code.
 *
 * @throws Error for an unknown metric.
 */
export const judgeSession = (metric: string, signals: SignalsByTrace, weights: SignalWeights): Judgement => {
  if (!isSessionMetric(metric)) throw new Error(`There is no session metric ${metric}.`);
  const { value, reason, details, ...failure } = definitions[metric](signals, weights);
  const grounds = { judge: identityOf(metric, weights), inapplicable: null, evidence: null, traceVersion: null };
  if (value === null) return { value, reason, metadata: { ...failure, ...details }, grounds };
  const { threshold } = sessionCatalogue[metric];
  return { value, reason, metadata: { ...details, threshold, success: value >= threshold }, grounds };
};
