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
