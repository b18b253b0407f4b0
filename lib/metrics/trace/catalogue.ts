import type { PlannedMetric } from "../../judge/prices/estimate.ts";

/** What every metric of traces has that a judge is asked about: the transcript is shown unless an entry says otherwise. */
const judged = { category: "trace", threshold: 0.5, method: "judge", sees: "record", needs: [] } as const;

/** What every metric has that compares texts by their embeddings; no judge is asked. */
const compared = { category: "trace", threshold: 0.5, method: "compare" } as const;

/** A metric as it is known without its question: creating a run needs no more. */
interface CatalogueEntry extends PlannedMetric {
  /** One sentence, "Evaluates whether ...". */
  readonly description: string;
  readonly category: "trace";
  /** A score of at least this is a success. */
  readonly threshold: number;
}

/** The metrics that a trace run may ask for, by name. */
export const traceCatalogue = {
  argument_correctness: {
    ...judged,
    description: "Evaluates whether the agent called its tools with the right arguments for the task.",
    sees: "notes",
  },
  coherence: {
    ...compared,
    description: "Evaluates whether the output of the agent follows from its input.",
  },
  confidence: {
    ...judged,
    description: "Evaluates whether the agent acted decisively and appropriately.",
  },
  plan_adherence: {
    ...judged,
    description: "Evaluates whether the agent's execution followed its plan.",
    needs: ["plan"],
  },
  plan_quality: {
    ...judged,
    description: "Evaluates whether the agent's plan was complete, coherent and fit for the task.",
    sees: "notes",
    needs: ["plan"],
  },
  step_efficiency: {
    ...judged,
    description: "Evaluates whether the agent did its task without unnecessary steps.",
  },
  task_completion: {
    ...judged,
    description: "Evaluates whether the agent reached the objective that the user set.",
  },
  tool_correctness: {
    ...judged,
    description: "Evaluates whether the agent selected the tools that the user's request called for.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** What a judge can score: those, and loop_detection, which only makes sense within a session. */
export const judgedCatalogue = {
  ...traceCatalogue,
  loop_detection: {
    ...compared,
    description: "Evaluates whether the agent moves on instead of repeating what it put out before in the session.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** Name of a metric that a judge can score. */
export type JudgedMetricName = keyof typeof judgedCatalogue;

/** Names of the metrics that a trace run may ask for, in the order in which they are listed. */
export const traceMetricNames: readonly string[] = Object.keys(traceCatalogue);
