import type { Buckets, Hour } from "./bucket.ts";
import { groupByBucket } from "./group-by-bucket.ts";
import { addLatencies, latencyCount, latencyPercentile } from "./latencies.ts";
import { byCallsDescending, usageTally, type ModelUsage } from "./model-usage.ts";
import type { TraceFigures } from "./trace-figures.ts";
import { addCosts, addTokensOfTraces } from "../traces/totals.ts";
import type { Instant } from "../instant.ts";

/** Figures of the traces that started in an hour, or in a part of it. */
export interface HourFigures {
  readonly hour: Hour;
  readonly figures: TraceFigures;
}

/** Model usage of the spans that started in an hour, or in a part of it. */
export interface HourUsage {
  readonly hour: Hour;
  readonly usage: readonly ModelUsage[];
}

interface FigureBucket {
  readonly bucket: Instant;
  readonly trace_count: number;
  readonly error_count: number;
  readonly avg_latency_ms: number | null;
  readonly p50_latency_ms: number | null;
  readonly p90_latency_ms: number | null;
  readonly p95_latency_ms: number | null;
  readonly p99_latency_ms: number | null;
}

interface UsageBucket {
  readonly bucket: Instant;
  readonly total_tokens: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_cost: number;
}

interface ModelTotal {
  readonly model: string;
  readonly call_count: number;
  readonly total_tokens: number;
  readonly total_cost: number;
}

/** Number of models in the list of the most called ones. */
const maxTopModels = 10;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** Computes trace counts and latencies by time bucket; empty buckets are left out. @param hours in ascending order. */
export const figureBuckets = async (
  hours: AsyncIterable<HourFigures>,
  granularity: Buckets,
): Promise<FigureBucket[]> => {
  const buckets: FigureBucket[] = [];
  for await (const { bucket, parts } of groupByBucket(hours, granularity)) {
    const figures = parts.map((part) => part.figures);
    const traces = sumOf(figures.map((part) => part.traces));
    if (traces === 0) continue;
    const latencies = addLatencies(figures.map((part) => part.latencies));
    const endedCount = latencyCount(latencies);
    buckets.push({
      bucket,
      trace_count: traces,
      error_count: sumOf(figures.map(({ errors }) => errors)),
      avg_latency_ms: endedCount === 0 ? null : sumOf(figures.map(({ latencySum }) => latencySum)) / endedCount / 1000,
      p50_latency_ms: latencyPercentile(latencies, 0.5),
      p90_latency_ms: latencyPercentile(latencies, 0.9),
      p95_latency_ms: latencyPercentile(latencies, 0.95),
      p99_latency_ms: latencyPercentile(latencies, 0.99),
    });
  }
  return buckets;
};

/** Computes tokens and costs by time bucket; empty buckets are left out. @param hours in ascending order. */
export const usageBuckets = async (hours: AsyncIterable<HourUsage>, granularity: Buckets): Promise<UsageBucket[]> => {
  const buckets: UsageBucket[] = [];
  for await (const { bucket, parts } of groupByBucket(hours, granularity)) {
    const usage = parts.flatMap((part) => part.usage);
    if (usage.length === 0) continue;
    const prompts = usage.map(({ promptTokens }) => promptTokens);
    const completions = usage.map(({ completionTokens }) => completionTokens);
    buckets.push({
      bucket,
      total_tokens: addTokensOfTraces([...prompts, ...completions]),
      prompt_tokens: addTokensOfTraces(prompts),
      completion_tokens: addTokensOfTraces(completions),
      total_cost: addCosts(usage.map(({ cost }) => cost)),
    });
  }
  return buckets;
};

/** Returns the ten most called models, ties ordered by name. Spans without a model are not counted. */
export const topModels = async (hours: AsyncIterable<HourUsage>): Promise<ModelTotal[]> => {
  const tally = usageTally();
  for await (const { usage } of hours) usage.forEach(tally.add);
  return tally
    .usage()
    .toSorted(byCallsDescending)
    .flatMap(({ model, calls, promptTokens, completionTokens, cost }) =>
      model === null
        ? []
        : [
            {
              model,
              call_count: calls,
              total_tokens: addTokensOfTraces([promptTokens, completionTokens]),
              total_cost: addCosts([cost]),
            },
          ],
    )
    .slice(0, maxTopModels);
};
