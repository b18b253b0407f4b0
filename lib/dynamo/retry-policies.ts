/** Number of attempts and waits between them, for work that can lose a race with other writers. */
export interface RetryPolicy {
  /** Maximum number of attempts. */
  readonly times: number;
  /**
   * Returns the maximum wait in milliseconds after the given number of lost attempts, at least 1. The actual wait is
   * random, from 0 up to the maximum, so that competing writers spread out.
   */
  readonly wait: (losses: number) => number;
}

/**
 * Retries without waits, for losing to a write that has already finished: a new attempt can read its result at once.
 * Used for reads between two writes of another worker, and for sums, hours, counters and names with few writers.
 */
export const immediateRetryPolicy: RetryPolicy = { times: 10, wait: () => 0 };

/**
 * For a change within a request that several callers may make at once: a score, a monitor, a run, a member, a user.
 * The waits total 3 s on average and 6 s at most, of the gateway's 29 s.
 */
export const requestRetryPolicy: RetryPolicy = { times: 20, wait: (losses) => Math.min(400, 5 * 2 ** losses) };

/**
 * For large transactions of judge workers and purges, dozens at a time: counts of a run, budgets, scores with their
 * copies. The waits total 3 s on average and 6 s at most, far below a lease.
 */
export const workerRetryPolicy: RetryPolicy = { times: 12, wait: (losses) => Math.min(1000, 10 * 2 ** losses) };

/**
 * For writers of one trace, up to hundreds at once with one span each. The wait grows for the first losses and
 * shrinks for a writer that has lost often, so that it goes next. The waits total 1 s on average and 2 s at most.
 */
export const traceWriteRetryPolicy: RetryPolicy = {
  times: 80,
  wait: (losses) => (losses <= 5 ? 5 * 2 ** losses : Math.max(10, 160 - 12 * (losses - 6))),
};

/**
 * For conditional writes of a trace's row where the refusal returns the current row: an attempt is one write without
 * a read. The first ten attempts follow at once, while the returned row is current; a writer that loses more often
 * has many competitors and leaves them room. The waits total 2.8 s on average and 5.6 s at most.
 */
export const rowCommitRetryPolicy: RetryPolicy = { times: 150, wait: (losses) => (losses < 10 ? 0 : 40) };

/**
 * For a transaction that was cancelled because one of its items was throttled: a partition takes 1,000 write units a
 * second, and recovers within moments. The waits total 1.6 s on average and 3.2 s at most, in addition to those of
 * the work's own policy.
 */
export const throttledTransactionRetryPolicy: RetryPolicy = {
  times: 8,
  wait: (losses) => Math.min(800, 25 * 2 ** losses),
};

/**
 * For a query page throttled because its partition has no read units left: a partition serves 3,000 a second, which
 * eight readers of one day's rows exhaust. The waits total 5 s on average and 10 s at most, in addition to the SDK's
 * retries.
 */
export const throttledQueryRetryPolicy: RetryPolicy = { times: 20, wait: (losses) => Math.min(600, 50 * 2 ** losses) };

/**
 * For waiting on another request that is creating the same run and is about to write it. The waits total 5 s on
 * average.
 */
export const runCreationRetryPolicy: RetryPolicy = { times: 100, wait: () => 100 };

/**
 * For unprocessed items of a batch that DynamoDB has no capacity for at the moment. DynamoDB takes at least one item
 * of a batch of 25 writes or throws, so the attempts suffice as long as it takes any. The waits total 12 s on average
 * and 24 s at most.
 */
export const batchRetryPolicy: RetryPolicy = { times: 30, wait: (losses) => Math.min(1000, 10 * 2 ** losses) };

/** For work that calls services other than DynamoDB for seconds each time, and is repeated later by another worker. */
export const externalWorkRetryPolicy: RetryPolicy = { times: 3, wait: () => 0 };
