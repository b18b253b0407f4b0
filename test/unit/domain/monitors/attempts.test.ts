import { expect, test } from "vitest";
import {
  attemptMilliseconds,
  claimOf,
  failed,
  givenUp,
  mostAttempts,
  succeeded,
  type Attempts,
} from "../../../../lib/domain/monitors/attempts.ts";

const minute = 60_000;
const start = Date.parse("2026-11-21T09:00:00Z");

/** Begins an attempt that has to begin. */
const begun = (attempts: Attempts | undefined, instant: number, now: number, width = 3): Attempts => {
  const claim = claimOf(attempts, instant, now, width);
  if (claim.kind !== "begun") throw new Error(`The attempt is ${claim.kind}.`);
  return claim.attempts;
};

/** Attempts at an instant of which each worker dies. */
const died = (
  instant: number,
  now: number,
  before?: Attempts,
): { readonly attempts: Attempts; readonly now: number } => {
  let [attempts, at] = [before, now];
  for (let made = 0; made < mostAttempts; made += 1) {
    attempts = begun(attempts, instant, at);
    at += attemptMilliseconds;
  }
  return { attempts: attempts ?? { trials: [], unproven: 0, last: 0 }, now: at };
};

test("an instant is tried by one worker at a time, and three times", () => {
  const first = claimOf(undefined, start, start, 3);
  const second = claimOf(begun(undefined, start, start), start, start + attemptMilliseconds - 1, 3);
  const { attempts, now } = died(start, start);

  expect(first).toMatchObject({ kind: "begun", isLast: false });
  expect(second).toEqual({ kind: "under way" });
  expect(claimOf(attempts, start, now, 3)).toEqual({ kind: "exhausted" });
});

test("the third attempt knows that it is the last", () => {
  const once = failed(begun(undefined, start, start), start, start + 1, true);
  const twice = failed(begun(once, start, start + 2), start, start + 3, true);

  expect(claimOf(twice, start, start + 4, 3)).toMatchObject({ kind: "begun", isLast: true });
});

test("what is not the firing's own fault does not count", () => {
  const attempts = failed(begun(undefined, start, start), start, start + 1, false);

  expect(attempts).toMatchObject({ trials: [], unproven: 0 });
});

test("so many instants of a monitor are tried at a time", () => {
  const two = begun(begun(undefined, start, start), start + minute, start + minute);

  expect(claimOf(two, start + 2 * minute, start + 2 * minute, 2)).toEqual({ kind: "crowded" });
  expect(claimOf(two, start + 2 * minute, start + 2 * minute, 3)).toMatchObject({ kind: "begun" });
});

test("a monitor that has failed three times rests, each time twice as long, up to three hours", () => {
  let { attempts, now } = died(start, start);
  attempts = givenUp(attempts, start);
  const rests: number[] = [];
  for (let probe = 1; probe <= 9; probe += 1) {
    const claim = claimOf(attempts, start + probe * minute, now, 3);
    if (claim.kind !== "resting") throw new Error(`It is ${claim.kind}.`);
    rests.push((claim.until - now) / minute);
    attempts = givenUp(begun(attempts, start + probe * minute, claim.until), start + probe * minute);
    now = claim.until + attemptMilliseconds;
  }

  expect(rests).toEqual([3, 6, 12, 24, 48, 96, 180, 180, 180]);
});

test("one that succeeds ends the rest, and leaves what is known of other instants", () => {
  const { attempts } = died(start, start);
  const later = start + 86_400_000;
  const other = begun(attempts, start + minute, later);

  const after = succeeded(other, start + minute, later + 1);

  expect(after).toMatchObject({ unproven: 0, trials: [{ instant: start, made: 3 }] });
  expect(claimOf(after, start + 2 * minute, later + 2, 3)).toMatchObject({ kind: "begun" });
  expect(succeeded(begun(undefined, start, start), start, start)).toBeUndefined();
  expect(succeeded(after, start + 5 * minute, later)).toBe(after);
});
