import type { ScoreDistributionBucket, ScoreSummary, ScoreTrendBucket, TraceListItem } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import type { Range } from "./ranges.ts";

/** Whose scores. */
export type Kind = "traces" | "sessions";

/** What narrows figures of scores to one version of a metric of one's own. */
interface OfVersion {
  readonly metric_name: string;
  readonly metric_version: number;
}

export const summariesOf = (
  of: Kind,
  from: string,
  signal: AbortSignal,
  version?: OfVersion,
): Promise<readonly ScoreSummary[]> => {
  const query = { date_from: from, ...version };
  return of === "traces"
    ? client.value.getTraceScoreSummary({ query }, { signal })
    : client.value.getSessionScoreSummary({ query }, { signal });
};

export const trendOf = (
  of: Kind,
  name: string,
  from: string,
  { granularity }: Range,
  signal: AbortSignal,
  version?: OfVersion,
): Promise<readonly ScoreTrendBucket[]> => {
  const query = { metric_name: name, date_from: from, granularity, ...version };
  return of === "traces"
    ? client.value.getTraceScoreTrend({ query }, { signal })
    : client.value.getSessionScoreTrend({ query }, { signal });
};

export const spreadOf = (
  of: Kind,
  name: string,
  from: string,
  signal: AbortSignal,
): Promise<readonly ScoreDistributionBucket[]> => {
  const query = { metric_name: name, date_from: from };
  return of === "traces"
    ? client.value.getTraceScoreDistribution({ query }, { signal })
    : client.value.getSessionScoreDistribution({ query }, { signal });
};

/** Traces that are compared: so many that a difference shows, so few that they are read in moments. */
export const compared = 400;

/** The newest traces of a range with their scores. */
export const newestScored = async (from: string, signal: AbortSignal): Promise<readonly TraceListItem[]> => {
  const traces: TraceListItem[] = [];
  const query = { started_after: from, include: ["scores"], limit: 200 } as const;
  for await (const trace of client.value.each.listTraces({ query }, { signal })) {
    traces.push(trace);
    if (traces.length === compared) break;
  }
  return traces;
};
