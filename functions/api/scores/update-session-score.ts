import { updateSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { updateScore } from "../../../lib/handlers/scores/change-score.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = updateScore(updateSessionScore, sessionScoreKind);
