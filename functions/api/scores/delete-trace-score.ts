import { deleteTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { deleteScore } from "../../../lib/handlers/scores/change-score.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = deleteScore(deleteTraceScore, traceScoreKind);
