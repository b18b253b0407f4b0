import { updateSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { updateScore } from "../../../lib/handlers/scores/update-score.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = updateScore(updateSessionScore, sessionScoreKind);
