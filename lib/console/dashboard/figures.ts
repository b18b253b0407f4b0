import type { ModelUsage, Operations, TraceBucket, UsageBucket } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import type { TimeWindow } from "../parts/time-window.ts";

/** Figures of the traces and spans of a window. */
export interface Usage {
  /** Figures of the whole window; null without traces or spans. */
  readonly traces: TraceBucket | null;
  readonly usage: UsageBucket | null;
  /** Buckets that are not empty, by their start in epoch milliseconds. */
  readonly traceBuckets: ReadonlyMap<number, TraceBucket>;
  readonly usageBuckets: ReadonlyMap<number, UsageBucket>;
  /** The ten most called models. */
  readonly models: readonly ModelUsage[];
}

type Metric = "latency" | "cost" | "models";
type Granularity = Operations["getTraceAnalytics"]["query"]["granularity"];

/** True for figures of traces. */
export const isTraceBucket = (item: object): item is TraceBucket => "trace_count" in item;
/** True for figures of spans. */
export const isUsageBucket = (item: object): item is UsageBucket => "prompt_tokens" in item;
const isModelUsage = (item: object): item is ModelUsage => "model" in item;

const byTime = <Bucket extends { readonly bucket: string }>(buckets: readonly Bucket[]): ReadonlyMap<number, Bucket> =>
  new Map(buckets.map((bucket) => [Date.parse(bucket.bucket), bucket]));

/** Loads the figures of a window in five requests. */
export const loadUsage = async (window: TimeWindow, signal: AbortSignal): Promise<Usage> => {
  const { started_after, started_before, granularity } = window;
  const ask = async (metric: Metric, size: Granularity): Promise<readonly object[]> => {
    const query = { metric, granularity: size, started_after, started_before };
    return await client.value.getTraceAnalytics({ query }, { signal });
  };
  const [traces, traceBuckets, usage, usageBuckets, models] = await Promise.all([
    ask("latency", "all"),
    ask("latency", granularity),
    ask("cost", "all"),
    ask("cost", granularity),
    ask("models", "all"),
  ]);
  return {
    traces: traces.find(isTraceBucket) ?? null,
    usage: usage.find(isUsageBucket) ?? null,
    traceBuckets: byTime(traceBuckets.filter(isTraceBucket)),
    usageBuckets: byTime(usageBuckets.filter(isUsageBucket)),
    models: models.filter(isModelUsage),
  };
};
