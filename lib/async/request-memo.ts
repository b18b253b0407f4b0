import { currentBudget, type RequestBudget } from "./request-budget.ts";

/** Memo of reads that all items of a request share. Outside of a request each value is read anew. */
export const requestMemo = <Value>() => {
  const memos = new WeakMap<RequestBudget, Map<string, Promise<Value>>>();

  const currentMemo = (): Map<string, Promise<Value>> => {
    const budget = currentBudget();
    const memo = (budget && memos.get(budget)) ?? new Map<string, Promise<Value>>();
    if (budget !== undefined) memos.set(budget, memo);
    return memo;
  };

  /** Makes the next caller read the value of a key again. */
  const forget = (key: string): void => void currentMemo().delete(key);

  return {
    forget,
    /** Returns the value of a key, which the first caller reads; after an error the next caller reads it again. */
    get: (key: string, read: () => Promise<Value>): Promise<Value> => {
      const memo = currentMemo();
      const value = memo.get(key) ?? read();
      memo.set(key, value);
      value.catch(() => forget(key));
      return value;
    },
  };
};
