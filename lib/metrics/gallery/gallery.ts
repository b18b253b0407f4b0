import { answerRelevance } from "./answer-relevance.ts";
import { conversationCompleteness } from "./conversation-completeness.ts";
import { faithfulness } from "./faithfulness.ts";
import { handOverQuality } from "./hand-over-quality.ts";
import { instructionFollowing } from "./instruction-following.ts";
import { personalDataLeak } from "./personal-data-leak.ts";
import { refusal } from "./refusal.ts";
import { sqlSafety } from "./sql-safety.ts";
import { tone } from "./tone.ts";
import { toxicity } from "./toxicity.ts";
import type { GalleryMetric } from "./gallery-metric.ts";

/** Metric templates, in the order of the API's list; a project copies one and may change the copy. */
export const gallery: readonly GalleryMetric[] = [
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
];
