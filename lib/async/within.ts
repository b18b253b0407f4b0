/** What work gives that was not over in time. */
export const late = Symbol("late");

/** Waits for work, but no longer than so many milliseconds: what is not over then goes on by itself, and nobody hears of it. */
export const within = async <Result>(work: Promise<Result>, milliseconds: number): Promise<Result | typeof late> => {
  const { promise, resolve } = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => resolve(late), milliseconds);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};
