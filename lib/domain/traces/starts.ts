import { instantAt, type Instant } from "../instant.ts";

/** When traces may start that are sent. What was stored before is not looked at. */
export interface StartBounds {
  readonly from: Instant;
  /** Hours ahead of our clock: clocks of machines differ, and those of zones more. */
  readonly aheadHours: number;
}

export const defaultStarts: StartBounds = { from: "2000-01-01T00:00:00+00:00", aheadHours: 24 };

/**
 * What is wrong with the start of a trace that is sent, in words; null when nothing is.
 *
 * @param now epoch milliseconds.
 */
export const startFlaw = (at: Instant, { from, aheadHours }: StartBounds, now: number): string | null => {
  if (at < from) return `A trace may start from ${from} on.`;
  return at <= instantAt(now + aheadHours * 3_600_000)
    ? null
    : `A trace may start at most ${aheadHours} h ahead of the service's clock.`;
};
