/** Counts requests in flight, so that requests of low priority can wait until those of the page are answered. */

import { signal } from "@preact/signals";

/** True while what the page shows is being deleted: no part of the page loads then, as the answer would be that it is gone. */
export const isLoadingPaused = signal(false);

let inFlight = 0;

/** Resolvers of the tracked requests that have not been sent, because they wait for the others. */
const waiters = new Set<() => void>();

/** Sends the waiting requests, all at once, if no other one is in flight. */
const releaseIfIdle = (): void => {
  if (inFlight > waiters.size) return;
  for (const release of waiters) release();
  waiters.clear();
};

/** Counts a request as in flight until its promise settles. */
export const trackRequest = async <Value>(request: Promise<Value>): Promise<Value> => {
  inFlight += 1;
  try {
    return await request;
  } finally {
    inFlight -= 1;
    releaseIfIdle();
  }
};

/** Resolves as soon as all requests in flight wait for this. The caller is a tracked request. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    waiters.add(resolve);
    // Deferred, so that requests of the components mounted now are counted.
    setTimeout(releaseIfIdle);
  });
