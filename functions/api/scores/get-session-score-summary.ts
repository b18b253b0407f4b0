import { getSessionScoreSummary } from "../../../lib/contract/scores/analytics.ts";
import { getScoreSummary } from "../../../lib/handlers/scores/get-score-summary.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = getScoreSummary(getSessionScoreSummary, sessionScoreKind);
