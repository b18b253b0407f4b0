import { array, description, object, picklist, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { confidenceQuestion } from "./confidence-prompt.ts";

const scale = { assured: 1, mostly_assured: 0.75, mixed: 0.5, hesitant: 0.25, erratic: 0 } as const;

/** Whether the agent knew what it was doing: one call. */
export const confidence = defineMetric({
  name: "confidence",
  description: "Evaluates whether the agent acted decisively and appropriately.",
  category: "trace",
  threshold: 0.5,
  needs: [],
  question: confidenceQuestion,
  answer: object({
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: picklist(["assured", "mostly_assured", "mixed", "hesitant", "erratic"]),
  }),
  score: ({ evidence, reason, verdict }) => ({ value: scale[verdict], reason, details: { evidence } }),
});
