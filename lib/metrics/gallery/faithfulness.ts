import { galleryMetric } from "./gallery-metric.ts";

/** Metric template: evaluates whether the retrieved documents support the answer. */
export const faithfulness = galleryMetric({
  name: "faithfulness",
  target_type: "TRACE",
  description: "Evaluates whether the answer says only what the retrieved documents bear out.",
  instructions:
    "A claim is borne out where a retrieved document says it, or where it follows from one without further knowledge. General knowledge does not bear out a claim. That the documents do not tell something is a faithful answer.",
  scale: [
    {
      label: "faithful",
      meaning: "every claim is borne out by the documents",
      value: 1,
    },
    {
      label: "stretched",
      meaning: "the claims that matter are borne out, a minor one is not",
      value: 0.5,
    },
    {
      label: "unfaithful",
      meaning: "a claim that matters is not in the documents, or is against them",
      value: 0,
    },
  ],
  statements: [
    {
      name: "contradicted",
      text: "Does a claim of the answer contradict a document?",
      yes: "a document says the opposite",
      no: "none does",
    },
    {
      name: "main",
      text: "Are the claims that the user will act on in the documents?",
      yes: "a document says each of them",
      no: "one of them is in no document",
    },
    {
      name: "all",
      text: "Is every claim of the answer in the documents?",
      yes: "a document says each of them",
      no: "one is in no document, however small",
    },
  ],
  rule: [
    {
      level: "unfaithful",
      answers: {
        contradicted: "yes",
      },
    },
    {
      level: "unfaithful",
      answers: {
        main: "no",
      },
    },
    {
      level: "stretched",
      answers: {
        all: "no",
      },
    },
  ],
  otherwise: "faithful",
  evidence: ["transcript", "retrieved_documents"],
  threshold: 0.5,
  examples: [
    {
      record: "A document says that returns take 14 days; the answer says 14 days and adds that shipping is free.",
      answers: {
        contradicted: "no",
        main: "yes",
        all: "no",
      },
      reason: "The days are in the document, free shipping is in none.",
    },
  ],
});
