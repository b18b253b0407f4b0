import type { Granularity, Hour } from "./bucket.ts";
import { bucketed } from "./bucketed.ts";
import { addLatencies, latencyCount, latencyPercentile } from "./latencies.ts";
import { mostCalledFirst, usageTally, type ModelUsage } from "./model-usage.ts";
import type { TraceFigures } from "./trace-figures.ts";
import { addCosts, addTokens } from "../traces/totals.ts";
import type { Instant } from "../instant.ts";

/** Traces that started in an hour, or in a part of it. */
export interface FiguresOfHour {
  readonly hour: Hour;
  readonly figures: TraceFigures;
}

/** Spans that started in an hour, or in a part of it. */
export interface UsageOfHour {
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

/** Models in the list of those that are called most. */
const mostModels = 10;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** Counts and latencies of ascending hours by bucket; buckets without a trace are left out. */
export const figureBuckets = async (
  hours: AsyncIterable<FiguresOfHour>,
  granularity: Granularity,
): Promise<FigureBucket[]> => {
  const buckets: FigureBucket[] = [];
  for await (const { bucket, parts } of bucketed(hours, granularity)) {
    const figures = parts.map((part) => part.figures);
    const traces = sumOf(figures.map((part) => part.traces));
    if (traces === 0) continue;
    const latencies = addLatencies(figures.map((part) => part.latencies));
    const ended = latencyCount(latencies);
    buckets.push({
      bucket,
      trace_count: traces,
      error_count: sumOf(figures.map(({ errors }) => errors)),
      avg_latency_ms: ended === 0 ? null : sumOf(figures.map(({ latencySum }) => latencySum)) / ended / 1000,
      p50_latency_ms: latencyPercentile(latencies, 0.5),
      p90_latency_ms: latencyPercentile(latencies, 0.9),
      p99_latency_ms: latencyPercentile(latencies, 0.99),
    });
  }
  return buckets;
};

/** Tokens and costs of ascending hours by bucket; buckets without a span are left out. */
export const usageBuckets = async (
  hours: AsyncIterable<UsageOfHour>,
  granularity: Granularity,
): Promise<UsageBucket[]> => {
  const buckets: UsageBucket[] = [];
  for await (const { bucket, parts } of bucketed(hours, granularity)) {
    const usage = parts.flatMap((part) => part.usage);
    if (usage.length === 0) continue;
    const prompts = usage.map(({ promptTokens }) => promptTokens);
    const completions = usage.map(({ completionTokens }) => completionTokens);
    buckets.push({
      bucket,
      total_tokens: addTokens([...prompts, ...completions]),
      prompt_tokens: addTokens(prompts),
      completion_tokens: addTokens(completions),
      total_cost: addCosts(usage.map(({ cost }) => cost)),
    });
  }
  return buckets;
};

/** The ten models that were called most, then by name. Spans without a model are not counted. */
export const topModels = async (hours: AsyncIterable<UsageOfHour>): Promise<ModelTotal[]> => {
  const tally = usageTally();
  for await (const { usage } of hours) usage.forEach(tally.add);
  return tally
    .usage()
    .toSorted(mostCalledFirst)
    .flatMap(({ model, calls, promptTokens, completionTokens, cost }) =>
      model === null
        ? []
        : [
            {
              model,
              call_count: calls,
              total_tokens: addTokens([promptTokens, completionTokens]),
              total_cost: addCosts([cost]),
            },
          ],
    )
    .slice(0, mostModels);
};
