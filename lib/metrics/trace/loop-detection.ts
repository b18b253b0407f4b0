import type { JsonObject } from "../../domain/json.ts";
import type { InapplicableCode } from "../../domain/scores/inapplicable.ts";
import type { ComparedMetric, Inapplicable, SessionMaterial } from "../../judge/metric.ts";
import { rounded } from "../../domain/scores/score.ts";
import { judgedCatalogue } from "./catalogue.ts";
import { cosineDistance, wordSimilarity } from "./similarity.ts";
import { textForm } from "./text-form.ts";

/** Earlier traces that an output is compared with. */
const window = 3;

interface Comparison {
  /** Position of the earlier trace in its session, from 0. */
  readonly index: number;
  readonly text: string;
}

/** The earlier outputs in the window that are not empty. */
const previous = ({ earlier, earlierOmitted }: SessionMaterial): readonly Comparison[] => {
  const first = Math.max(0, earlier.length - window);
  return earlier
    .slice(first)
    .map(({ output }, place) => ({
      index: earlierOmitted + first + place,
      text: textForm(output),
    }))
    .filter(({ text }) => text !== "");
};

const nothing = (inapplicable: InapplicableCode, reason: string, note: string = inapplicable): Inapplicable => ({
  value: 1,
  inapplicable,
  reason,
  details: { note },
});

const sentence = (hybrid: number, index: number): string =>
  `The output is most like that of trace ${index + 1} of the session: similarity of meaning times shared words is ${hybrid.toFixed(4)}.`;

/** Whether an agent says the same again: the nearest of the session's last outputs, by meaning and by words; no judge is asked. */
export const loopDetection: ComparedMetric & { readonly name: "loop_detection" } = {
  name: "loop_detection",
  ...judgedCatalogue.loop_detection,
  version: "cosine times Jaccard over the last 3 outputs, 1",
  reference: [],
  texts: (material) => {
    if (material.earlier.length + material.earlierOmitted === 0) {
      const reason = "There is no earlier trace in the session to compare with.";
      return nothing("no_session_context", reason, "no session context provided");
    }
    const current = textForm(material.trace.output);
    if (current === "") return nothing("empty_output", "The output is empty: it repeats nothing.");
    const before = previous(material);
    if (before.length === 0) return nothing("no_previous_outputs", "The earlier traces in the window have no output.");
    return [current, ...before.map(({ text }) => text)];
  },
  score: ([current = [], ...others], material) => {
    const text = textForm(material.trace.output);
    const compared = previous(material).map((before, place) => {
      const cosine = 1 - cosineDistance(current, others[place] ?? []);
      const jaccard = wordSimilarity(text, before.text);
      return { index: before.index, cosine, jaccard, hybrid: cosine * jaccard };
    });
    const nearest = compared.reduce((most, each) => (each.hybrid > most.hybrid ? each : most));
    return {
      value: rounded(1 - nearest.hybrid),
      reason: sentence(nearest.hybrid, nearest.index),
      details: {
        window_size: compared.length,
        max_hybrid: rounded(nearest.hybrid),
        comparisons: compared.map(({ index, cosine, jaccard, hybrid }): JsonObject => ({
          trace_index: index,
          cosine_similarity: rounded(cosine),
          jaccard_similarity: rounded(jaccard),
          hybrid_score: rounded(hybrid),
        })),
      },
    };
  },
};
