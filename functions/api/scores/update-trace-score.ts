import { updateTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { updateScore } from "../../../lib/handlers/scores/change-score.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = updateScore(updateTraceScore, traceScoreKind);
