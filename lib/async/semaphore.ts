/** Lets at most `places` tasks run at a time, in the order they asked. */
export const semaphore = (places: number) => {
  let free = places;
  const waiting: (() => void)[] = [];
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
};

export type Semaphore = ReturnType<typeof semaphore>;
