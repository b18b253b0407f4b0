import type { Call, Decide, FaultKind } from "./fault-kind.ts";
import type { Random } from "../random.ts";

export type FaultRates = Partial<Record<FaultKind, number>>;

/** How often each fault was injected into which operation, `fault operation`. */
export type Tally = Map<string, number>;

export const tallied = (tally: Tally, key: string): void => {
  tally.set(key, (tally.get(key) ?? 0) + 1);
};

const onlyBatches: ReadonlySet<FaultKind> = new Set(["partial-batch"]);
const onlyIndexes: ReadonlySet<FaultKind> = new Set(["stale-index"]);
const conflicting = /^(?:TransactWriteItems|PutItem|UpdateItem|DeleteItem)$/;

const applies = (kind: FaultKind, { operation }: Call): boolean => {
  if (operation === "BatchWriteItem (answer)") return onlyBatches.has(kind);
  if (operation === "Query (index)") return onlyIndexes.has(kind);
  if (kind === "conflict") return conflicting.test(operation);
  return !onlyBatches.has(kind) && !onlyIndexes.has(kind);
};

/** Faults drawn from a seed, each with its own probability per request. */
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
