import { getSessionScoreTrend } from "../../../lib/contract/scores/analytics.ts";
import { getScoreTrend } from "../../../lib/handlers/scores/get-score-trend.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = getScoreTrend(getSessionScoreTrend, sessionScoreKind);
