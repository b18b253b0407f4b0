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
