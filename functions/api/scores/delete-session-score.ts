import { deleteSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { deleteScore } from "../../../lib/handlers/scores/change-score.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = deleteScore(deleteSessionScore, sessionScoreKind);
