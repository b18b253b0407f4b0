import type { ComparedMetric, Unrelated } from "../../judge/metric.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { Vector } from "../../judge/providers/provider.ts";
import { traceCatalogue } from "./catalogue.ts";
import { referencePairs } from "./reference-pairs.ts";
import { cosineDistance } from "./similarity.ts";
import { answerText, lastMessage } from "./spoken-text.ts";
import { textForm } from "./text-form.ts";

/** A success is nearer than this share of what does not belong together. */
const nearerThan = 0.9;

/** The share of unrelated pairs that are less alike, those that are as much so counted half. */
const placeAmong = (similarity: number, { pairs }: Unrelated): number => {
  const others = pairs.map(([a, b]) => 1 - cosineDistance(a, b));
  const less = others.filter((other) => other < similarity).length;
  const same = others.filter((other) => other === similarity).length;
  return rounded((less + same / 2) / others.length);
};

const sources = {
  project: "pairs of a message and another trace's answer in this project",
  reference: "fixed pairs that do not belong together (the project has too few of its own so far)",
} as const;

/**
 * Whether the answer is about what was asked: how near the embeddings of the user's last message and of the final answer are,
 * no judge is asked. How near unrelated texts are depends on the model: whether it is a success follows from those.
 */
export const coherence: ComparedMetric & { readonly name: "coherence" } = {
  name: "coherence",
  ...traceCatalogue.coherence,
  version: "cosine of the last message and the final answer among unrelated pairs, 2",
  reference: referencePairs,
  texts: ({ trace }) => {
    const texts = [lastMessage(trace), answerText(trace.output)];
    if ([...texts, textForm(trace.input)].every((text) => text !== "")) return texts;
    const details = { coherence_gap: 0, note: "empty_input_or_output" };
    const reason = "Does not apply: the input or the output is empty, so there is nothing to compare.";
    return { value: 1, inapplicable: "empty_input_or_output", reason, details };
  },
  score: ([input = [], output = []]: readonly Vector[], _material, { model, unrelated }) => {
    const gap = cosineDistance(input, output);
    const place = placeAmong(1 - gap, unrelated);
    return {
      value: rounded(1 - gap),
      success: place >= nearerThan,
      reason:
        `The coherence gap between the user's last message and the final answer, the cosine distance of their embeddings by ${model}, ` +
        `is ${gap.toFixed(4)}; ${Math.round(place * 100)} % of ${unrelated.pairs.length} ${sources[unrelated.source]} are less alike.`,
      details: {
        coherence_gap: rounded(gap),
        embedding_model: model,
        unrelated_place: place,
        unrelated_pairs: unrelated.pairs.length,
        unrelated_source: unrelated.source,
      },
    };
  },
};
