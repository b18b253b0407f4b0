/** Common fields of the session metrics, which compute their score from scores of the session's traces, without a judge model. */
const commonFields = { category: "session", threshold: 0.5 } as const;

/** Built-in session metrics by name. A description states what is evaluated and, in a second sentence, how. */
export const sessionCatalogue = {
  agent_consistency: {
    ...commonFields,
    description:
      "Evaluates whether the agent was consistent over a session. The uncertainty of each trace counts, the more the riskier its situation was, as their root mean square (weighted RMS).",
  },
  agent_reliability: {
    ...commonFields,
    description:
      "Evaluates whether the agent was reliable throughout a session. The largest risk of each trace counts, and of the traces the riskiest ones (max-compose, top-k tail).",
  },
} as const;

/** Name of a built-in session metric. */
export type SessionMetricName = keyof typeof sessionCatalogue;

/** Names of the built-in session metrics, in the order of the API's list. */
export const sessionMetricNames: readonly string[] = Object.keys(sessionCatalogue);
