import type { ComparedMetric } from "../../judge/metric.ts";
import { rounded } from "../../domain/scores/score.ts";
import { traceCatalogue } from "./catalogue.ts";
import { cosineDistance } from "./similarity.ts";
import { textForm } from "./text-form.ts";

/** Whether the answer is about what was asked: how near the embeddings of input and output are, no judge is asked. */
export const coherence: ComparedMetric & { readonly name: "coherence" } = {
  name: "coherence",
  ...traceCatalogue.coherence,
  version: "cosine of input and output, 1",
  texts: ({ trace }) => {
    const texts = [textForm(trace.input), textForm(trace.output)];
    if (!texts.includes("")) return texts;
    const details = { coherence_gap: 0, note: "empty_input_or_output" };
    const reason = "There is nothing to compare: the input or the output is empty.";
    return { value: 1, inapplicable: "empty_input_or_output", reason, details };
  },
  score: ([input = [], output = []]) => {
    const gap = cosineDistance(input, output);
    return {
      value: rounded(1 - gap),
      reason: `The coherence gap between input and output, the cosine distance of their embeddings, is ${gap.toFixed(4)}.`,
      details: { coherence_gap: rounded(gap) },
    };
  },
};
