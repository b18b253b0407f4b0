import type { Resolver } from "../template/intrinsics.ts";
import type { Pattern } from "./filter-pattern.ts";

/** An event source mapping of the template, with Lambda's defaults filled in. */
export interface EventSource {
  readonly id: string;
  readonly sourceArn: string;
  /** Name or ARN of the function. */
  readonly functionName: string;
  readonly batchSize: number;
  /** Milliseconds to wait for a fuller batch. */
  readonly batchingWindow: number;
  readonly reportsFailures: boolean;
  readonly filters: readonly Pattern[];
  /** Maximum concurrent batches of a queue. */
  readonly maximumConcurrency: number | undefined;
  /** True if a stream is read from its oldest record, false if from its newest. This and all further fields are for streams. */
  readonly fromBeginning: boolean;
  readonly bisects: boolean;
  /** Maximum retries of a failed batch; -1 for no limit. */
  readonly maximumRetries: number;
  /** Maximum age of a record in seconds; -1 for no limit. */
  readonly maximumAge: number;
  /** Length of the tumbling windows in seconds; 0 for no windows. */
  readonly tumblingWindow: number;
  /** Maximum concurrent batches of one shard. */
  readonly parallelization: number;
  /** ARN of the queue that receives a message about each batch whose retries are exhausted. */
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

/** Reads the enabled event source mappings of the template. Not supported: sources other than queues and table streams. */
export const eventSources = (resolver: Resolver): readonly EventSource[] =>
  resolver
    .resources("AWS::Lambda::EventSourceMapping")
    .map(({ id, properties }) => ({ id, mapping: properties as unknown as Properties }))
    .filter(({ mapping }) => mapping.Enabled !== false)
    .map(({ id, mapping }) => ({
      id,
      sourceArn: mapping.EventSourceArn,
      functionName: mapping.FunctionName,
      batchSize: mapping.BatchSize ?? (mapping.EventSourceArn.includes(":sqs:") ? 10 : 100),
      batchingWindow: (mapping.MaximumBatchingWindowInSeconds ?? 0) * 1_000,
      reportsFailures: mapping.FunctionResponseTypes?.includes("ReportBatchItemFailures") ?? false,
      filters: (mapping.FilterCriteria?.Filters ?? []).map(({ Pattern: text }) => JSON.parse(text) as Pattern),
      maximumConcurrency: mapping.ScalingConfig?.MaximumConcurrency,
      fromBeginning: mapping.StartingPosition !== "LATEST",
      bisects: mapping.BisectBatchOnFunctionError ?? false,
      maximumRetries: mapping.MaximumRetryAttempts ?? -1,
      maximumAge: mapping.MaximumRecordAgeInSeconds ?? -1,
      tumblingWindow: mapping.TumblingWindowInSeconds ?? 0,
      parallelization: mapping.ParallelizationFactor ?? 1,
      onFailure: mapping.DestinationConfig?.OnFailure?.Destination,
    }));
