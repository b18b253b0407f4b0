import type { Hour } from "../../domain/analytics/bucket.ts";
import { hourNamed } from "./keys.ts";
import { isGone } from "../expiry.ts";
import type { PendingMarks } from "./pending-marks.ts";

/** Some of a project's hours, with their expiries. */
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
}

/**
 * The hours of a project whose stored sums are too old: their rows tell better. To be read before the sums, which are new
 * when no mark is there any more.
 */
export const pendingHours = async (pending: PendingMarks, project: string, now: number): Promise<HourSet> => {
  const hours = new HourSet();
  for await (const { name } of pending.list(project)) {
    const { hour, expiry } = hourNamed(name);
    if (!isGone(expiry, now)) hours.add(hour, expiry);
  }
  return hours;
};
