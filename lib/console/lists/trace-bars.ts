import type { TraceBucket } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import type { BarRequest, BarValues, ListQuery } from "./list-kind.ts";

const isTraceBucket = (bucket: object): bucket is TraceBucket => "trace_count" in bucket && "error_count" in bucket;

/** Reads the number of matching traces, of failed ones, and their p90 duration, by start of the bar. */
export const traceBars = async (
  filters: ListQuery,
  range: BarRequest,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, BarValues>> => {
  const query = { ...filters, metric: "latency", ...range } as const;
  const buckets = await client.value.getTraceAnalytics({ query }, { signal });
  return new Map(
    buckets
      .filter(isTraceBucket)
      .map(({ bucket, trace_count: total, error_count: failed, p90_latency_ms: p90 }) => [
        Date.parse(bucket),
        { total, failed, duration: p90 },
      ]),
  );
};
