import { AsyncLocalStorage } from "node:async_hooks";
import { Refusal } from "../domain/refusal.ts";
import { defaultBudget, type RequestWork } from "../domain/request-work.ts";

/** Work that a request has done, and the most that it may do. */
export interface RequestBudget {
  readonly max: RequestWork;
  readonly spent: { -readonly [Kind in keyof RequestWork]: number };
}

/** Returns the budget of a request that has done nothing yet. @param max limits that differ from the default. */
export const requestBudget = (max: Partial<RequestWork> = {}): RequestBudget => ({
  max: { ...defaultBudget, ...max },
  spent: { readUnits: 0, writeUnits: 0, lookups: 0, providerCalls: 0, unpackedBytes: 0 },
});

const budgets = new AsyncLocalStorage<RequestBudget>();

/** Returns the budget of the current request; undefined outside of one. */
export const currentBudget = (): RequestBudget | undefined => budgets.getStore();

/** Runs `work`, whose requests to the database and to providers count in `budget`. */
export const withRequestBudget = <Result>(budget: RequestBudget, work: () => Result): Result =>
  budgets.run(budget, work);

const units: Readonly<Record<keyof RequestWork, string>> = {
  readUnits: "read units of the database",
  writeUnits: "write units of the database",
  lookups: "requests to the database",
  providerCalls: "calls of judge models",
  unpackedBytes: "bytes of stored traces",
};

/** @throws Refusal `too-large` if a request has done more work of a kind than it may. */
const refuseAbove = ({ max, spent }: RequestBudget, kinds: readonly (keyof RequestWork)[]): void => {
  for (const kind of kinds)
    if (spent[kind] > max[kind])
      throw new Refusal({
        kind: "too-large",
        detail: `The request needs more than ${max[kind]} ${units[kind]}: send less in one request.`,
      });
};

/**
 * Counts a request to the database or to a provider before it is sent; it is not sent when the budget is used up.
 *
 * @returns a function that counts the units which the request has consumed; undefined outside of a request.
 * @throws Refusal `too-large` above the budget.
 */
export const countRequest = (
  kind: "lookups" | "providerCalls",
): ((kind: "readUnits" | "writeUnits", amount: number) => void) | undefined => {
  const budget = currentBudget();
  if (budget === undefined) return undefined;
  const { spent } = budget;
  spent[kind] += 1;
  refuseAbove(budget, ["readUnits", "writeUnits", "lookups", "providerCalls"]);
  return (consumed, amount) => {
    spent[consumed] += amount;
  };
};

/** Counts a stored trace, or a piece of one, that the current request unpacks. @param size see `sizeOfJson`. */
export const countUnpacked = (size: number): void => {
  const budget = currentBudget();
  if (budget !== undefined) budget.spent.unpackedBytes += size;
};

/** @throws Refusal `too-large` if the current request has unpacked as much as it may. */
export const checkUnpacked = (): void => {
  const budget = currentBudget();
  if (budget !== undefined) refuseAbove(budget, ["unpackedBytes"]);
};
