import { saysSomething } from "../../domain/says-something.ts";
import type { ComparedMetric, UnrelatedPairs } from "../../judge/metric/metric.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { Vector } from "../../judge/providers/provider.ts";
import { traceCatalogue } from "./catalogue.ts";
import { referencePairs } from "./reference-pairs.ts";
import { cosineDistance } from "./similarity.ts";
import { answerText, lastMessage } from "./message-text.ts";

/** Minimum share of unrelated pairs of texts that must be less similar than a coherent question and answer. */
const minPercentile = 0.9;

/** Returns the share of unrelated pairs whose similarity is lower than the given one; equal similarities count half. */
const percentileAmong = (similarity: number, { pairs }: UnrelatedPairs): number => {
  const similarities = pairs.map(([a, b]) => 1 - cosineDistance(a, b));
  const lowerCount = similarities.filter((value) => value < similarity).length;
  const equalCount = similarities.filter((value) => value === similarity).length;
  return rounded((lowerCount + equalCount / 2) / similarities.length);
};

const sources = {
  project: "pairs of a message and another trace's answer in this project",
  reference: "fixed pairs that do not belong together (the project has too few of its own so far)",
} as const;

/**
 * Metric of coherence: the cosine similarity of the embeddings of the user's last message and the final answer. Success depends
 * on the similarity of unrelated texts, because embedding models differ in it.
 */
export const coherence: ComparedMetric & { readonly name: "coherence" } = {
  name: "coherence",
  ...traceCatalogue.coherence,
  version: "cosine of the last message and the final answer among unrelated pairs, 3",
  reference: referencePairs,
  texts: ({ trace }) => {
    const texts = [lastMessage(trace), answerText(trace.output)];
    if ([...texts, trace.input, trace.output].every((value) => saysSomething(value))) return texts;
    const details = { coherence_gap: 0, note: "empty_input_or_output" };
    const reason = "Does not apply: the input or the output is empty, so there is nothing to compare.";
    return { value: 1, inapplicable: "empty_input_or_output", reason, details };
  },
  score: ([input = [], output = []]: readonly Vector[], _material, { model, unrelated }) => {
    const gap = cosineDistance(input, output);
    const percentile = percentileAmong(1 - gap, unrelated);
    return {
      value: rounded(1 - gap),
      success: percentile >= minPercentile,
      reason:
        `The coherence gap between the user's last message and the final answer, the cosine distance of their embeddings by ${model}, ` +
        `is ${gap.toFixed(4)}; ${Math.round(percentile * 100)} % of ${unrelated.pairs.length} ${sources[unrelated.source]} are less alike.`,
      details: {
        coherence_gap: rounded(gap),
        embedding_model: model,
        unrelated_place: percentile,
        unrelated_pairs: unrelated.pairs.length,
        unrelated_source: unrelated.source,
      },
    };
  },
};
