/** What AWS documents of Lambda and SQS in us-east-1, arm64; see also `infra/evaluation.ts` for the function. */
const aws = {
  /** Batches an SQS mapping takes at a time when it starts, and how many more after each second. */
  startsWith: 5,
  morePerSecond: 300 / 60,
  mostAtATime: 1250,
  dollarsPerGigabyteSecond: 0.0000133334,
  dollarsPerInvocation: 0.2 / 1e6,
  dollarsPerQueueRequest: 0.4 / 1e6,
} as const;

/** Assumed: seconds from the run's commit through stream, dispatch and queue to a worker, and those of its cold start. */
const assumed = { hops: 0.5, coldStart: 0.5 } as const;

/** Gigabytes of the judge's function. */
const memory = 1;
/** Of one message: sent, received and deleted. */
const requestsPerMessage = 3;

/** A run as the queue sees it. */
interface QueuedRun {
  readonly slices: number;
  /** Of one slice in a warm worker. */
  readonly sliceSeconds: number;
  /** The mapping's maximum concurrency. */
  readonly workers: number;
}

/** How long a run takes on AWS, and what Lambda and SQS bill for it. Modelled: all slices alike, nobody else's in the queue. */
export const simulateRun = ({ slices, sliceSeconds, workers }: QueuedRun) => {
  const most = Math.min(workers, slices, aws.mostAtATime);
  // When each worker is free: those beyond the first five come as the mapping scales.
  const free = Array.from({ length: most }, (_, index) =>
    index < aws.startsWith ? 0 : (index - aws.startsWith + 1) / aws.morePerSecond,
  );
  const used = new Set<number>();
  let end = 0;
  for (let slice = 0; slice < slices; slice += 1) {
    const next = free.indexOf(Math.min(...free));
    const done = (free[next] ?? 0) + sliceSeconds + (used.has(next) ? 0 : assumed.coldStart);
    used.add(next);
    free[next] = done;
    end = Math.max(end, done);
  }
  const billed = slices * sliceSeconds + used.size * assumed.coldStart;
  const dollars =
    billed * memory * aws.dollarsPerGigabyteSecond +
    slices * (aws.dollarsPerInvocation + requestsPerMessage * aws.dollarsPerQueueRequest);
  return { seconds: assumed.hops + end, dollars };
};
