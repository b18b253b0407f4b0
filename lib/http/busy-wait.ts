/** Times that the shortest wait doubles at most: from 1 s to 4 s. */
const maxDoublings = 2;

/** Longest wait as a multiple of the shortest: 16 s at most, since clients wait on the only thread that sends. */
const spread = 4;

/** Milliseconds without a refusal after which waits are short again: the longest one, and the time until a busy request is refused. */
const memory = 30_000;

/** Milliseconds in which refusals count as one wave: of requests that came together. */
const wave = 1_000;

/**
 * Creates the `Retry-After` of refusals for overload, in whole seconds: twice as long in each wave of them, since the store is busier than
 * the last waits assumed, and at random up to a multiple, so that clients that were refused together do not return together.
 */
export const busyWaits = (now: () => number = Date.now, random: () => number = Math.random): (() => number) => {
  let [doublings, grewAt, refusedAt] = [0, -Infinity, -Infinity];
  return () => {
    const at = now();
    const isFirst = at - refusedAt > memory;
    if (isFirst || at - grewAt >= wave) {
      doublings = isFirst ? 0 : Math.min(maxDoublings, doublings + 1);
      grewAt = at;
    }
    refusedAt = at;
    const shortest = 2 ** doublings;
    return shortest + Math.floor(random() * ((spread - 1) * shortest + 1));
  };
};
