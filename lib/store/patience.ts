/** How long to go on with what others may be faster at. */
export interface Patience {
  /** Attempts altogether. */
  readonly times: number;
  /**
   * Milliseconds to wait at most before the next attempt, after so many lost ones, 1 at least. The wait is drawn at random
   * from 0 up to it, so that those who met once do not meet again.
   */
  readonly wait: (lost: number) => number;
}

/**
 * For what nobody is in the middle of: the other one has finished, and what it left can be read at once. Reads that fall
 * between the steps of a writer; sums of one shard, hours, counters and names, at which few meet.
 */
export const brief: Patience = { times: 10, wait: () => 0 };

/**
 * For a change that a caller waits for and several people or programs may make at once: a score, a monitor, a run, a member,
 * a user. 3 s on average, 6 s at most, of the gateway's 29 s.
 */
export const request: Patience = { times: 20, wait: (lost) => Math.min(400, 5 * 2 ** lost) };

/**
 * For what judge workers and purges do in large transactions, dozens of them at a time: the counts of a run, budgets, scores
 * that go with their copies. 3 s on average, 6 s at most, which is far below a lease.
 */
export const worker: Patience = { times: 12, wait: (lost) => Math.min(1000, 10 * 2 ** lost) };

/**
 * For the writers of one trace, hundreds of which may come at once with a span each. The wait grows while they may be few,
 * and shrinks for those who have lost often: they are next. 1 s on average, 2 s at most.
 */
export const crowd: Patience = {
  times: 80,
  wait: (lost) => (lost <= 5 ? 5 * 2 ** lost : Math.max(10, 160 - 12 * (lost - 6))),
};

/**
 * For writers of one trace who need no look at it: one attempt is one write, and its refusal says what is there. What a refusal
 * says is old after a wait, so that a few writers do best at once; who has lost to as many as that is in a crowd, and leaves others room. 2.8 s
 * on average, 5.6 s at most.
 */
export const queue: Patience = { times: 150, wait: (lost) => (lost < 10 ? 0 : 40) };

/**
 * For a transaction that was cancelled because an item of it was throttled: a partition takes 1,000 units a second, and more
 * again after a moment. 1.6 s on average, 3.2 s at most, beside the patience of the work itself.
 */
export const throttled: Patience = { times: 8, wait: (lost) => Math.min(800, 25 * 2 ** lost) };

/**
 * For a page of a query whose partition has no read units left: it gives 3,000 a second, which eight readers of one day's
 * rows use up. 5 s on average, 10 s at most, beside the SDK's own repetitions; who meets it is read again within a second.
 */
export const partition: Patience = { times: 20, wait: (lost) => Math.min(600, 50 * 2 ** lost) };

/** For another request that is creating the same run: it is a matter of its next write. 5 s on average. */
export const creation: Patience = { times: 100, wait: () => 100 };

/**
 * For items of a batch that DynamoDB has no capacity for at the moment. Of a batch of 25 writes it takes one at least or
 * throws, so that nobody gives up while it takes any. 12 s on average, 24 s at most.
 */
export const capacity: Patience = { times: 30, wait: (lost) => Math.min(1000, 10 * 2 ** lost) };

/** For work that asks others than DynamoDB, seconds each time, and that somebody else does again later. */
export const outside: Patience = { times: 3, wait: () => 0 };
