/** What every metric of sessions has: arithmetic over the scores of their traces, no judge is asked. */
const common = { category: "session", threshold: 0.5 } as const;

/** The metrics that a session run may ask for, by name. A description says what is evaluated, and in a second sentence how. */
export const sessionCatalogue = {
  agent_consistency: {
    ...common,
    description:
      "Evaluates whether the agent was consistent over a session. The uncertainty of each trace counts, the more the riskier its situation was, as their root mean square (weighted RMS).",
  },
  agent_reliability: {
    ...common,
    description:
      "Evaluates whether the agent was reliable throughout a session. The largest risk of each trace counts, and of the traces the riskiest ones (max-compose, top-k tail).",
  },
} as const;

/** Name of a metric of sessions. */
export type SessionMetricName = keyof typeof sessionCatalogue;

/** Their names, in the order in which they are listed. */
export const sessionMetricNames: readonly string[] = Object.keys(sessionCatalogue);
