import type { PlannedMetric } from "../../judge/prices/estimate.ts";

/** Common fields of the metrics that a judge model evaluates; by default the question shows the transcript. */
const judgedFields = { category: "trace", threshold: 0.5, method: "judge", sees: "record", needs: [] } as const;

/** Common fields of the metrics that compare texts by their embeddings, without a judge model. */
const comparedFields = { category: "trace", threshold: 0.5, method: "compare" } as const;

/** The part of a built-in metric's definition that creating a run needs: the metric without its question. */
interface CatalogueEntry extends PlannedMetric {
  /** Description for users, one sentence that begins with "Evaluates whether". */
  readonly description: string;
  readonly category: "trace";
  /** Lowest score that counts as a success. */
  readonly threshold: number;
}

/** Built-in metrics of trace runs, by name. */
export const traceCatalogue = {
  argument_correctness: {
    ...judgedFields,
    description: "Evaluates whether the agent called its tools with the right arguments for the task.",
    sees: "notes",
  },
  coherence: {
    ...comparedFields,
    description: "Evaluates whether the output of the agent follows from its input.",
  },
  confidence: {
    ...judgedFields,
    description: "Evaluates whether the agent acted decisively and appropriately.",
  },
  plan_adherence: {
    ...judgedFields,
    description: "Evaluates whether the agent's execution followed its plan.",
    needs: ["plan"],
  },
  plan_quality: {
    ...judgedFields,
    description: "Evaluates whether the agent's plan was complete, coherent and fit for the task.",
    sees: "notes",
    needs: ["plan"],
  },
  step_efficiency: {
    ...judgedFields,
    description: "Evaluates whether the agent did its task without unnecessary steps.",
  },
  task_completion: {
    ...judgedFields,
    description: "Evaluates whether the agent reached the objective that the user set.",
  },
  tool_correctness: {
    ...judgedFields,
    description: "Evaluates whether the agent selected the tools that the user's request called for.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** Built-in metrics of single traces: those of trace runs, and loop_detection, which needs the session of a trace. */
export const judgedCatalogue = {
  ...traceCatalogue,
  loop_detection: {
    ...comparedFields,
    description: "Evaluates whether the agent moves on instead of repeating what it put out before in the session.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** Name of a built-in metric of single traces. */
export type JudgedMetricName = keyof typeof judgedCatalogue;

/** Names of the built-in metrics of trace runs, in the order of the API's list. */
export const traceMetricNames: readonly string[] = Object.keys(traceCatalogue);
