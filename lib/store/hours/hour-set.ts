import type { Hour } from "../../domain/analytics/bucket.ts";
import { parseHourName } from "./keys.ts";
import { isExpiredDay } from "../../dynamo/expiry.ts";
import { partitionIn } from "../traces/keys.ts";
import type { PendingMarkers } from "./pending-markers.ts";

/** A set of a project's hours, each with its expiry days. */
export class HourSet {
  readonly #hours = new Map<Hour, Set<string>>();

  add(hour: Hour, expiry: string): void {
    const expiries = this.#hours.get(hour) ?? new Set();
    this.#hours.set(hour, expiries.add(expiry));
  }

  has(hour: Hour, expiry: string): boolean {
    return this.#hours.get(hour)?.has(expiry) ?? false;
  }

  hours(): readonly Hour[] {
    return [...this.#hours.keys()];
  }

  /** Returns the numbers of the partitions in which an hour's traces have their rows. */
  partitions(hour: Hour): ReadonlySet<number> {
    return new Set(Array.from(this.#hours.get(hour) ?? [], partitionIn));
  }
}

/**
 * Reads the hours of a project whose stored sums are stale, so that their rows must be read. Read this set before the
 * sums: an hour without a marker has current sums.
 */
export const staleHours = async (pending: PendingMarkers, project: string, now: number): Promise<HourSet> => {
  const hours = new HourSet();
  for await (const { name } of pending.list(project)) {
    const { hour, expiry } = parseHourName(name);
    if (!isExpiredDay(expiry, now)) hours.add(hour, expiry);
  }
  return hours;
};
