import { getSessionScoreDistribution } from "../../../lib/contract/scores/analytics.ts";
import { getScoreDistribution } from "../../../lib/handlers/scores/get-score-distribution.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = getScoreDistribution(getSessionScoreDistribution, sessionScoreKind);
