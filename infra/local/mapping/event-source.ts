import type { Resolver } from "../template/intrinsics.ts";
import type { Pattern } from "./filter-pattern.ts";

/** An event source mapping of the template, with Lambda's defaults filled in. */
export interface EventSource {
  readonly id: string;
  readonly sourceArn: string;
  /** Name or ARN. */
  readonly functionName: string;
  readonly batchSize: number;
  /** Milliseconds to wait for a fuller batch. */
  readonly batchingWindow: number;
  readonly reportsFailures: boolean;
  readonly filters: readonly Pattern[];
  /** Queues: batches at a time. */
  readonly maximumConcurrency: number | undefined;
  /** Streams from here on. */
  readonly fromBeginning: boolean;
  readonly bisects: boolean;
  /** -1: without end. */
  readonly maximumRetries: number;
  /** Seconds; -1: without end. */
  readonly maximumAge: number;
  /** Seconds; 0: no windows. */
  readonly tumblingWindow: number;
  /** Batches at a time within a shard. */
  readonly parallelization: number;
  /** ARN of the queue that is told about records that were given up. */
  readonly onFailure: string | undefined;
}

interface Properties {
  readonly EventSourceArn: string;
  readonly FunctionName: string;
  readonly Enabled?: boolean;
  readonly BatchSize?: number;
  readonly MaximumBatchingWindowInSeconds?: number;
  readonly FunctionResponseTypes?: readonly string[];
  readonly FilterCriteria?: { readonly Filters?: readonly { readonly Pattern: string }[] };
  readonly ScalingConfig?: { readonly MaximumConcurrency?: number };
  readonly StartingPosition?: string;
  readonly BisectBatchOnFunctionError?: boolean;
  readonly MaximumRetryAttempts?: number;
  readonly MaximumRecordAgeInSeconds?: number;
  readonly TumblingWindowInSeconds?: number;
  readonly ParallelizationFactor?: number;
  readonly DestinationConfig?: { readonly OnFailure?: { readonly Destination?: string } };
}

/** Reads the enabled event source mappings of the template. Does not do: sources other than queues and table streams. */
export const eventSources = (resolver: Resolver): readonly EventSource[] =>
  resolver
    .resources("AWS::Lambda::EventSourceMapping")
    .map(({ id, properties }) => ({ id, given: properties as unknown as Properties }))
    .filter(({ given }) => given.Enabled !== false)
    .map(({ id, given }) => ({
      id,
      sourceArn: given.EventSourceArn,
      functionName: given.FunctionName,
      batchSize: given.BatchSize ?? (given.EventSourceArn.includes(":sqs:") ? 10 : 100),
      batchingWindow: (given.MaximumBatchingWindowInSeconds ?? 0) * 1_000,
      reportsFailures: given.FunctionResponseTypes?.includes("ReportBatchItemFailures") ?? false,
      filters: (given.FilterCriteria?.Filters ?? []).map(({ Pattern: text }) => JSON.parse(text) as Pattern),
      maximumConcurrency: given.ScalingConfig?.MaximumConcurrency,
      fromBeginning: given.StartingPosition !== "LATEST",
      bisects: given.BisectBatchOnFunctionError ?? false,
      maximumRetries: given.MaximumRetryAttempts ?? -1,
      maximumAge: given.MaximumRecordAgeInSeconds ?? -1,
      tumblingWindow: given.TumblingWindowInSeconds ?? 0,
      parallelization: given.ParallelizationFactor ?? 1,
      onFailure: given.DestinationConfig?.OnFailure?.Destination,
    }));
