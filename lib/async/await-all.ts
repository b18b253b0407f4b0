/** Waits until every task has ended, failed ones included. @throws the error of the first failed task in the list. */
export const awaitAll = async <Result>(tasks: readonly Promise<Result>[]): Promise<Result[]> => {
  const results = await Promise.allSettled(tasks);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
};
