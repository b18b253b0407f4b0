/** Documented behaviour of Lambda and SQS in us-east-1 on arm64; see also `infra/evaluation.ts` for the function. */
const aws = {
  /** Concurrent batches of an SQS mapping at its start, and their increase per second. */
  startsWith: 5,
  morePerSecond: 300 / 60,
  mostAtATime: 1250,
  dollarsPerGigabyteSecond: 0.0000133334,
  dollarsPerInvocation: 0.2 / 1e6,
  dollarsPerQueueRequest: 0.4 / 1e6,
} as const;

/** Assumed seconds from the run's commit through stream, dispatch and queue to a worker, and of a cold start. */
const assumed = { hops: 0.5, coldStart: 0.5 } as const;

/** Memory of the judge's function in gigabytes. */
const memory = 1;
/** SQS requests per message: send, receive and delete. */
const requestsPerMessage = 3;

/** A run as a number of queued slices. */
interface QueuedRun {
  readonly slices: number;
  /** Seconds of one slice in a warm worker. */
  readonly sliceSeconds: number;
  /** Maximum concurrency of the mapping. */
  readonly workers: number;
}

/**
 * Models the duration of a run on AWS and its cost of Lambda and SQS, with equal slices and an otherwise empty queue.
 */
export const simulateRun = ({ slices, sliceSeconds, workers }: QueuedRun) => {
  const maxWorkers = Math.min(workers, slices, aws.mostAtATime);
  // Seconds at which each worker is free; workers beyond the first five start as the mapping scales.
  const free = Array.from({ length: maxWorkers }, (_, index) =>
    index < aws.startsWith ? 0 : (index - aws.startsWith + 1) / aws.morePerSecond,
  );
  const used = new Set<number>();
  let end = 0;
  for (let slice = 0; slice < slices; slice += 1) {
    const next = free.indexOf(Math.min(...free));
    const finishedAt = (free[next] ?? 0) + sliceSeconds + (used.has(next) ? 0 : assumed.coldStart);
    used.add(next);
    free[next] = finishedAt;
    end = Math.max(end, finishedAt);
  }
  const billed = slices * sliceSeconds + used.size * assumed.coldStart;
  const dollars =
    billed * memory * aws.dollarsPerGigabyteSecond +
    slices * (aws.dollarsPerInvocation + requestsPerMessage * aws.dollarsPerQueueRequest);
  return { seconds: assumed.hops + end, dollars };
};
