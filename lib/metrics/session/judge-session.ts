import { createHash } from "node:crypto";
import type { Judgement } from "../../domain/scores/automated-score.ts";
import { judgeIdentity } from "../../domain/scores/judge-identity.ts";
import type { SignalWeights } from "../../domain/scores/signals.ts";
import { agentConsistency } from "./agent-consistency.ts";
import { agentReliability } from "./agent-reliability.ts";
import { sessionCatalogue, type SessionMetricName } from "./catalogue.ts";
import type { ScoreSession, SignalsByTrace } from "./signal-risks.ts";

const definitions: Readonly<Record<SessionMetricName, ScoreSession>> = {
  agent_consistency: agentConsistency,
  agent_reliability: agentReliability,
};

/** Changes when the same signals would be reckoned with in another way. */
const arithmetic = 1;

/** Nobody is asked: two scores come from the same question when they were reckoned alike, from signals that weigh the same. */
const identityOf = (metric: SessionMetricName, weights: SignalWeights) =>
  judgeIdentity(
    `assay/${metric}`,
    createHash("sha256")
      .update(JSON.stringify([metric, arithmetic, weights]))
      .digest("hex")
      .slice(0, 12),
  );

const isSessionMetric = (name: string): name is SessionMetricName => Object.hasOwn(definitions, name);

/**
 * Scores a session with a metric. The metadata has at most 16 KB as JSON; that of a failure begins with its code.
 *
 * @throws Error for a metric that does not exist.
 */
export const judgeSession = (metric: string, signals: SignalsByTrace, weights: SignalWeights): Judgement => {
  if (!isSessionMetric(metric)) throw new Error(`There is no session metric ${metric}.`);
  const { value, reason, details, ...rest } = definitions[metric](signals, weights);
  const grounds = { judge: identityOf(metric, weights), inapplicable: null, evidence: null, traceVersion: null };
  if (value === null) return { value, reason, metadata: { ...rest, ...details }, grounds };
  const { threshold } = sessionCatalogue[metric];
  return { value, reason, metadata: { ...details, threshold, success: value >= threshold }, grounds };
};
