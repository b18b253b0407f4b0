import { expect, test } from "vitest";
import {
  attemptMilliseconds,
  claimOf,
  type Claim,
  failed,
  givenUp,
  mostAttempts,
  succeeded,
  type Attempts,
} from "../../../../lib/domain/monitors/attempts.ts";

const minute = 60_000;
const start = Date.parse("2026-11-21T09:00:00Z");

let deliveries = 0;

/** Asks for a delivery of its own. */
const asked = (attempts: Attempts | undefined, instant: number, now: number, width = 3): Claim => {
  deliveries += 1;
  return claimOf(attempts, { instant, by: String(deliveries), now, width });
};

/** Begins an attempt that has to begin. */
const begun = (attempts: Attempts | undefined, instant: number, now: number, width = 3): Attempts => {
  const claim = asked(attempts, instant, now, width);
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
  const first = asked(undefined, start, start);
  const second = asked(begun(undefined, start, start), start, start + attemptMilliseconds - 1);
  const { attempts, now } = died(start, start);

  expect(first).toMatchObject({ kind: "begun", isLast: false });
  expect(second).toEqual({ kind: "under way" });
  expect(asked(attempts, start, now)).toEqual({ kind: "exhausted" });
});

test("who asks again whether its own attempt may be made has it: the answer was lost", () => {
  const mine = { instant: start, by: "a delivery", now: start, width: 3 };
  const first = claimOf(undefined, mine);
  if (first.kind !== "begun") throw new Error("It may begin.");

  expect(claimOf(first.attempts, { ...mine, now: start + 1 })).toEqual(first);
});

test("the third attempt knows that it is the last", () => {
  const once = failed(begun(undefined, start, start), start, start + 1, true);
  const twice = failed(begun(once, start, start + 2), start, start + 3, true);

  expect(asked(twice, start, start + 4)).toMatchObject({ kind: "begun", isLast: true });
});

test("what is not the firing's own fault does not count", () => {
  const attempts = failed(begun(undefined, start, start), start, start + 1, false);

  expect(attempts).toMatchObject({ trials: [], unproven: 0 });
});

test("so many instants of a monitor are tried at a time", () => {
  const two = begun(begun(undefined, start, start), start + minute, start + minute);

  expect(asked(two, start + 2 * minute, start + 2 * minute, 2)).toEqual({ kind: "crowded" });
  expect(asked(two, start + 2 * minute, start + 2 * minute)).toMatchObject({ kind: "begun" });
});

test("a monitor that has failed three times rests, each time twice as long, up to three hours", () => {
  let { attempts, now } = died(start, start);
  attempts = givenUp(attempts, start);
  const rests: number[] = [];
  for (let probe = 1; probe <= 9; probe += 1) {
    const claim = asked(attempts, start + probe * minute, now);
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
  expect(asked(after, start + 2 * minute, later + 2)).toMatchObject({ kind: "begun" });
  expect(succeeded(begun(undefined, start, start), start, start)).toBeUndefined();
  expect(succeeded(after, start + 5 * minute, later)).toBe(after);
});
