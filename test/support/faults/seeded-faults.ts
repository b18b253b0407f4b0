import type { Call, Decide, FaultKind } from "./fault-kind.ts";
import type { Random } from "../random.ts";

export type FaultRates = Partial<Record<FaultKind, number>>;

/** Number of injected faults by `fault operation`. */
export type Tally = Map<string, number>;

export const tallied = (tally: Tally, key: string): void => {
  tally.set(key, (tally.get(key) ?? 0) + 1);
};

/** Faults that apply to a single kind of request. */
const onlyOf: Readonly<Partial<Record<FaultKind, string>>> = {
  "partial-batch": "BatchWriteItem (answer)",
  "partial-get": "BatchGetItem (answer)",
  "stale-index": "Query (index)",
  "throttled-item": "TransactWriteItems",
};
const conflicting = /^(?:TransactWriteItems|PutItem|UpdateItem|DeleteItem)$/;

const applies = (kind: FaultKind, { operation }: Call): boolean => {
  const only = onlyOf[kind];
  if (only !== undefined) return operation === only;
  // Only the matching fault applies to a reply.
  if (operation.includes("(")) return false;
  return kind !== "conflict" || conflicting.test(operation);
};

/** Draws faults from a seed, each with its own probability per request. */
export const seededFaults =
  (random: Random, rates: FaultRates, tally: Tally): Decide =>
  (call) => {
    for (const [kind, rate] of Object.entries(rates) as [FaultKind, number][]) {
      if (!applies(kind, call) || !random.chance(rate)) continue;
      tallied(tally, `${kind} ${call.operation}`);
      return kind;
    }
    return null;
  };
