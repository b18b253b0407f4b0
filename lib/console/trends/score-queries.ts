import type { ScoreDistributionBucket, ScoreSummary, ScoreTrendBucket } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import type { DimensionName } from "./groups.ts";
import type { TimeWindow } from "../parts/time-window.ts";

/** Kind of targets whose scores are shown. */
export type TargetKind = "traces" | "sessions";

/** Filter for one version of a custom metric. */
interface VersionFilter {
  readonly metric_name: string;
  readonly metric_version: number;
}

/** Returns score summaries by metric since an instant (ISO 8601). */
export const getSummaries = (
  targetKind: TargetKind,
  from: string,
  signal: AbortSignal,
  version?: VersionFilter,
): Promise<readonly ScoreSummary[]> => {
  const query = { date_from: from, ...version };
  return targetKind === "traces"
    ? client.value.getTraceScoreSummary({ query }, { signal })
    : client.value.getSessionScoreSummary({ query }, { signal });
};

/** Returns the trend of a metric since the start of a window in its buckets. */
export const getTrend = (
  targetKind: TargetKind,
  name: string,
  { started_after: from, granularity }: TimeWindow,
  signal: AbortSignal,
  version?: VersionFilter,
): Promise<readonly ScoreTrendBucket[]> => {
  const query = { metric_name: name, date_from: from, granularity, ...version };
  return targetKind === "traces"
    ? client.value.getTraceScoreTrend({ query }, { signal })
    : client.value.getSessionScoreTrend({ query }, { signal });
};

/** Returns the distribution of a metric's values since an instant (ISO 8601). */
export const getDistribution = (
  targetKind: TargetKind,
  name: string,
  from: string,
  signal: AbortSignal,
): Promise<readonly ScoreDistributionBucket[]> => {
  const query = { metric_name: name, date_from: from };
  return targetKind === "traces"
    ? client.value.getTraceScoreDistribution({ query }, { signal })
    : client.value.getSessionScoreDistribution({ query }, { signal });
};

/** Returns summaries of the scores of traces since an instant (ISO 8601), by metric and group, the largest groups first. */
export const getGroups = (
  from: string,
  dimension: DimensionName,
  signal: AbortSignal,
): Promise<readonly ScoreSummary[]> =>
  client.value.getTraceScoreSummary({ query: { date_from: from, group_by: [dimension], corrected: true } }, { signal });

/** Returns the trend of a metric's scores of traces by group, since the start of a window. */
export const getGroupTrends = (
  name: string,
  { started_after: from, granularity }: TimeWindow,
  dimension: DimensionName,
  signal: AbortSignal,
): Promise<readonly ScoreTrendBucket[]> =>
  client.value.getTraceScoreTrend(
    { query: { metric_name: name, date_from: from, granularity, group_by: [dimension] } },
    { signal },
  );
