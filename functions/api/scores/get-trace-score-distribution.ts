import { getTraceScoreDistribution } from "../../../lib/contract/scores/analytics.ts";
import { getScoreDistribution } from "../../../lib/handlers/scores/get-score-distribution.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";

export const handler = getScoreDistribution(getTraceScoreDistribution, traceScoreKind);
