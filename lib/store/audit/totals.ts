import { createHash } from "node:crypto";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";

/** Max partial sums that a repair checks: a transaction has 100 actions, one of which writes the repair. */
const maxPartials = 99;

/** A stored part of a total: the sum of one stream shard's changes, or that of repairs. */
export interface PartialSum<Value> {
  readonly total: string;
  readonly sort: string;
  readonly value: Value;
  /** Differs after each change; absent if the item changes only together with another partial sum of its total. */
  readonly version?: string | number | undefined;
}

/** Comparison of a total with the count of its items. */
interface Comparison<Value> {
  /** Text that is the same as long as neither the partial sums nor the items have changed. */
  readonly evidence: string;
  /** Returns the attributes of the partial sum of repairs, stored as `before`; null if they would be too large. */
  readonly repair: (before: Value | undefined) => Readonly<Record<string, unknown>> | null;
}

/** Totals of one kind in one partition of the table `aggregates`: how they are added, compared and stored. */
export interface Totals<Counted, Value> {
  readonly pk: string;
  /** Attribute in which the version of a partial sum is stored. */
  readonly version: string;
  /** True if all totals have one fingerprint: a change of one delays the repair of all. */
  readonly hasOneFingerprint: boolean;
  /** Reads the stored partial sums; null when the deadline `until` passed, epoch milliseconds. */
  readonly read: (until: number) => Promise<readonly PartialSum<Value>[] | null>;
  /** Returns the sort key of a total's partial sum of repairs. */
  readonly repairSort: (total: string) => string;
  /** Compares a total with the count of its items; null if they are equal, or not expected to be. */
  readonly compare: (
    total: string,
    counted: Counted | undefined,
    partials: readonly PartialSum<Value>[],
  ) => Comparison<Value> | null;
}

/** Name and fingerprint of a total that differs, for its note. */
export interface NotedDifference {
  readonly total: string;
  /** SHA-256 hash of the evidence. */
  readonly fingerprint: string;
}

/** A stored total that differs from the count of its items. */
interface Difference<Value> extends NotedDifference, Omit<Comparison<Value>, "evidence"> {
  readonly partials: readonly PartialSum<Value>[];
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Returns the stored totals that differ from the count of their items, in the order of their names. */
export const differencesOf = <Counted, Value>(
  { compare, hasOneFingerprint }: Totals<Counted, Value>,
  storedPartials: readonly PartialSum<Value>[],
  countedTotals: ReadonlyMap<string, Counted>,
): readonly Difference<Value>[] => {
  const byTotal = Map.groupBy(storedPartials, ({ total }) => total);
  const differences = [...new Set([...byTotal.keys(), ...countedTotals.keys()])].toSorted().flatMap((total) => {
    const partials = byTotal.get(total) ?? [];
    const comparison = compare(total, countedTotals.get(total), partials);
    return comparison === null ? [] : [{ ...comparison, total, partials }];
  });
  const sharedFingerprint = hasOneFingerprint ? sha256(differences.map(({ evidence }) => evidence).join("")) : null;
  return differences.map(({ total, partials, evidence, repair }) => ({
    total,
    partials,
    repair,
    fingerprint: sharedFingerprint ?? sha256(evidence),
  }));
};

/** Returns the fingerprints of differences by total. */
export const fingerprintsOf = (differences: readonly NotedDifference[]): Readonly<Record<string, string>> =>
  Object.fromEntries(differences.map(({ total, fingerprint }) => [total, fingerprint]));

/**
 * Repairs the totals whose differences are as they were noted, each in one transaction, on condition that none of its
 * partial sums has changed since the comparison: the stream's worker can continue, and no change is lost or counted twice.
 *
 * @param noted returns the noted fingerprint of a total.
 * @returns the number of repaired totals.
 */
export const repairUnchanged = async <Value>(
  database: Database,
  { pk, version, repairSort }: Pick<Totals<never, Value>, "pk" | "version" | "repairSort">,
  differences: readonly Difference<Value>[],
  noted: (total: string) => string | undefined,
): Promise<number> => {
  const [items, ifUnchanged] = [itemsOf(database, "aggregates"), `${version} = :version`];
  let repaired = 0;
  for (const { total, partials, repair, fingerprint } of differences) {
    if (noted(total) !== fingerprint) continue;
    const sk = repairSort(total);
    const before = partials.find(({ sort }) => sort === sk);
    const otherPartials = partials.filter((each) => each !== before && each.version !== undefined);
    const attributes = repair(before?.value);
    if (attributes === null || otherPartials.length > maxPartials) continue;
    const put = {
      put: { ...attributes, pk, sk },
      when: before === undefined ? ifAbsent : ifUnchanged,
      values: { ":version": before?.version },
    };
    const unchangedChecks = otherPartials.map((partial) => ({
      check: { pk, sk: partial.sort },
      when: ifUnchanged,
      values: { ":version": partial.version },
    }));
    if (await succeeds(items.transact([put, ...unchangedChecks]))) repaired += 1;
  }
  return repaired;
};
