/** Counts requests in flight, so that requests of low priority can wait until those of the page are answered. */

let inFlight = 0;

const waiters = new Set<() => void>();

/** Counts a request as in flight until its promise settles. */
export const trackRequest = async <Value>(request: Promise<Value>): Promise<Value> => {
  inFlight += 1;
  try {
    return await request;
  } finally {
    inFlight -= 1;
    for (const check of waiters) check();
  }
};

/** Resolves as soon as at most `maxInFlight` requests are in flight. */
export const whenIdle = (maxInFlight: number): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (inFlight > maxInFlight) return;
      waiters.delete(check);
      resolve();
    };
    waiters.add(check);
    // Deferred, so that requests of the components mounted now are counted.
    setTimeout(check);
  });
