/** Waits until every task has ended, however it ended. @throws what the first of those that failed threw. */
export const allEnded = async <Result>(tasks: readonly Promise<Result>[]): Promise<Result[]> => {
  const results = await Promise.allSettled(tasks);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
};
