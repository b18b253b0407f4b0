import { saysSomething } from "../../domain/says-something.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { InapplicableCode } from "../../domain/scores/inapplicable.ts";
import type { ComparedMetric, InapplicableScore, SessionMaterial } from "../../judge/metric/metric.ts";
import { rounded } from "../../domain/scores/score.ts";
import { judgedCatalogue } from "./catalogue.ts";
import { cosineDistance, wordSimilarity } from "./similarity.ts";
import { textForm } from "./text-form.ts";

/** Number of a session's earlier traces whose outputs are compared with the output of the current trace. */
const windowSize = 3;

/** Output of an earlier trace that the current output is compared with. */
interface Comparison {
  /** Index of the earlier trace in its session, from 0. */
  readonly index: number;
  readonly text: string;
}

/** Returns the non-empty outputs of the session's last traces before the evaluated trace. */
const previousOutputs = ({ earlierTraces, omittedTraceCount }: SessionMaterial): readonly Comparison[] => {
  const first = Math.max(0, earlierTraces.length - windowSize);
  return earlierTraces
    .slice(first)
    .map(({ output }, place) => ({ index: omittedTraceCount + first + place, output }))
    .filter(({ output }) => saysSomething(output))
    .map(({ index, output }) => ({ index, text: textForm(output) }));
};

const notApplicable = (
  inapplicable: InapplicableCode,
  reason: string,
  note: string = inapplicable,
): InapplicableScore => ({
  value: 1,
  inapplicable,
  reason,
  details: { note },
});

const reasonText = (hybrid: number, index: number): string =>
  `The output is most like that of trace ${index + 1} of the session: similarity of meaning times shared words is ${hybrid.toFixed(4)}.`;

/** Metric of repetition: 1 minus the highest similarity (cosine times shared words) to one of the session's last outputs. */
export const loopDetection: ComparedMetric & { readonly name: "loop_detection" } = {
  name: "loop_detection",
  ...judgedCatalogue.loop_detection,
  version: "cosine times Jaccard over the last 3 outputs, 2",
  reference: [],
  texts: (material) => {
    if (material.earlierTraces.length + material.omittedTraceCount === 0) {
      const reason = "There is no earlier trace in the session to compare with.";
      return notApplicable("no_session_context", reason, "no session context provided");
    }
    const current = textForm(material.trace.output);
    if (!saysSomething(material.trace.output))
      return notApplicable("empty_output", "The output is empty: it repeats nothing.");
    const comparisons = previousOutputs(material);
    if (comparisons.length === 0)
      return notApplicable("no_previous_outputs", "The earlier traces in the window have no output.");
    return [current, ...comparisons.map(({ text }) => text)];
  },
  score: ([current = [], ...earlierVectors], material) => {
    const text = textForm(material.trace.output);
    const comparisons = previousOutputs(material).map((earlier, index) => {
      const cosine = 1 - cosineDistance(current, earlierVectors[index] ?? []);
      const jaccard = wordSimilarity(text, earlier.text);
      return { index: earlier.index, cosine, jaccard, hybrid: cosine * jaccard };
    });
    const nearest = comparisons.reduce((max, each) => (each.hybrid > max.hybrid ? each : max));
    return {
      value: rounded(1 - nearest.hybrid),
      reason: reasonText(nearest.hybrid, nearest.index),
      details: {
        window_size: comparisons.length,
        max_hybrid: rounded(nearest.hybrid),
        comparisons: comparisons.map(({ index, cosine, jaccard, hybrid }): JsonObject => ({
          trace_index: index,
          cosine_similarity: rounded(cosine),
          jaccard_similarity: rounded(jaccard),
          hybrid_score: rounded(hybrid),
        })),
      },
    };
  },
};
