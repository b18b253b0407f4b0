import type { ScoreDistributionBucket, ScoreSummary, ScoreTrendBucket, TraceListItem } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import type { Range } from "./ranges.ts";

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

/** Returns the trend of a metric since an instant (ISO 8601) in buckets of the range's granularity. */
export const getTrend = (
  targetKind: TargetKind,
  name: string,
  from: string,
  { granularity }: Range,
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

/** Max traces read for a comparison by release, environment or judge: two requests. */
export const maxComparedTraces = 400;

/** Returns the newest traces with their scores since an instant (ISO 8601). */
export const getNewestTraces = async (from: string, signal: AbortSignal): Promise<readonly TraceListItem[]> => {
  const traces: TraceListItem[] = [];
  const query = { started_after: from, include: ["scores"], limit: 200 } as const;
  for await (const trace of client.value.each.listTraces({ query }, { signal })) {
    traces.push(trace);
    if (traces.length === maxComparedTraces) break;
  }
  return traces;
};
