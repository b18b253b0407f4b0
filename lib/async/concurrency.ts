/** Returns a function that runs tasks, at most `capacity` at a time, first come, first served. */
export const semaphore = (capacity: number) => {
  let free = capacity;
  const waitingResolvers: (() => void)[] = [];
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waitingResolvers.push(resolve));
    try {
      return await task();
    } finally {
      const next = waitingResolvers.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
};

export type Semaphore = ReturnType<typeof semaphore>;

/** Waits until every task has ended, failed ones included. @throws the error of the first failed task in the list. */
export const awaitAll = async <Result>(tasks: readonly Promise<Result>[]): Promise<Result[]> => {
  const results = await Promise.allSettled(tasks);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
};

/**
 * Runs `work` for every item, at most `concurrency` at a time. A failed item does not stop the others.
 *
 * @returns the results in the order of the items.
 * @throws the error of the first failed item, after all have ended.
 */
export const mapConcurrently = <Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const slots = semaphore(concurrency);
  return awaitAll(Array.from(items, (item) => slots(() => work(item))));
};

/** Result of `withTimeout` for a promise that did not settle in time. */
export const timeoutResult = Symbol("late");

/** Waits for a promise at most `milliseconds`. After a time-out the work continues, but its result is ignored. */
export const withTimeout = async <Result>(
  work: Promise<Result>,
  milliseconds: number,
): Promise<Result | typeof timeoutResult> => {
  const { promise, resolve } = Promise.withResolvers<typeof timeoutResult>();
  const timer = setTimeout(() => resolve(timeoutResult), milliseconds);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};
