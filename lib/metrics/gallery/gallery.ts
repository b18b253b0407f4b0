import type { CustomMetricInput } from "../../domain/metrics/custom/definition.ts";
import answerRelevance from "./answer-relevance.json" with { type: "json" };
import conversationCompleteness from "./conversation-completeness.json" with { type: "json" };
import faithfulness from "./faithfulness.json" with { type: "json" };
import handOverQuality from "./hand-over-quality.json" with { type: "json" };
import instructionFollowing from "./instruction-following.json" with { type: "json" };
import personalDataLeak from "./personal-data-leak.json" with { type: "json" };
import refusal from "./refusal.json" with { type: "json" };
import sqlSafety from "./sql-safety.json" with { type: "json" };
import tone from "./tone.json" with { type: "json" };
import toxicity from "./toxicity.json" with { type: "json" };

/** A metric template, which a project can copy as a custom metric: the request that creates the copy. */
interface GalleryMetric extends CustomMetricInput {
  readonly name: string;
}

/** Metric templates, in the order of errors that list them; a project copies one and may change the copy. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a unit test compares each with what the schema of requests makes of it.
export const gallery = [
  answerRelevance,
  faithfulness,
  refusal,
  toxicity,
  personalDataLeak,
  tone,
  handOverQuality,
  conversationCompleteness,
  instructionFollowing,
  sqlSafety,
] as readonly GalleryMetric[];
