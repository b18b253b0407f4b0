import { agentConsistency } from "./agent-consistency.ts";
import { agentReliability } from "./agent-reliability.ts";
import type { SessionMetric } from "./session-metric.ts";

/** The metrics of sessions, by name. */
export const sessionMetrics: readonly SessionMetric[] = [agentConsistency, agentReliability];

/** Their names, in the same order. */
export const sessionMetricNames: readonly string[] = sessionMetrics.map(({ name }) => name);
