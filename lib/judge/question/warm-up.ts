/** Runs calls of one target. */
export type WarmUp = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * Lets a target's first call run alone; the others wait until it has ended, however it ended. A provider caches a prompt's
 * beginning only once it has read it: calls sent together would each pay for the transcript.
 */
export const warmUp = (): WarmUp => {
  let first: Promise<unknown> | null = null;
  return async (call) => {
    if (first !== null) {
      await first;
      return call();
    }
    const running = call();
    first = running.catch(() => null);
    return running;
  };
};
