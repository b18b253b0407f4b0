import { expect, test } from "vitest";
import {
  attemptMilliseconds,
  claimAttempt,
  type AttemptDecision,
  afterFailure,
  afterGivingUp,
  maxAttempts,
  afterSuccess,
  type Attempts,
} from "../../../../lib/domain/monitors/attempts.ts";

const minute = 60_000;
const start = Date.parse("2026-11-21T09:00:00Z");

let deliveries = 0;

/** Claims an attempt for a new delivery. */
const claimAt = (attempts: Attempts | undefined, instant: number, now: number, width = 3): AttemptDecision => {
  deliveries += 1;
  return claimAttempt(attempts, { instant, by: String(deliveries), now, concurrency: width });
};

/** Attempts after a claim that has to succeed. */
const beginAttempt = (attempts: Attempts | undefined, instant: number, now: number, width = 3): Attempts => {
  const claim = claimAt(attempts, instant, now, width);
  if (claim.kind !== "begun") throw new Error(`The attempt is ${claim.kind}.`);
  return claim.attempts;
};

/** Attempts at an instant after several workers died in theirs. */
const died = (
  instant: number,
  now: number,
  before?: Attempts,
): { readonly attempts: Attempts; readonly now: number } => {
  let [attempts, at] = [before, now];
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    attempts = beginAttempt(attempts, instant, at);
    at += attemptMilliseconds;
  }
  return { attempts: attempts ?? { trials: [], unproven: 0, last: 0 }, now: at };
};

test("an instant is attempted by one worker at a time, and three times", () => {
  const first = claimAt(undefined, start, start);
  const second = claimAt(beginAttempt(undefined, start, start), start, start + attemptMilliseconds - 1);
  const { attempts, now } = died(start, start);

  expect(first).toMatchObject({ kind: "begun", isLast: false });
  expect(second).toEqual({ kind: "under way" });
  expect(claimAt(attempts, start, now)).toEqual({ kind: "exhausted" });
});

test("a worker that claims its own attempt again gets it: the first answer was lost", () => {
  const mine = { instant: start, by: "a delivery", now: start, concurrency: 3 };
  const first = claimAttempt(undefined, mine);
  if (first.kind !== "begun") throw new Error("It may begin.");

  expect(claimAttempt(first.attempts, { ...mine, now: start + 1 })).toEqual(first);
});

test("the third attempt is marked as the last", () => {
  const once = afterFailure(beginAttempt(undefined, start, start), start, start + 1, true);
  const twice = afterFailure(beginAttempt(once, start, start + 2), start, start + 3, true);

  expect(claimAt(twice, start, start + 4)).toMatchObject({ kind: "begun", isLast: true });
});

test("failures that are not the firing's fault do not count", () => {
  const attempts = afterFailure(beginAttempt(undefined, start, start), start, start + 1, false);

  expect(attempts).toMatchObject({ trials: [], unproven: 0 });
});

test("instants of a monitor are attempted concurrently up to the limit", () => {
  const two = beginAttempt(beginAttempt(undefined, start, start), start + minute, start + minute);

  expect(claimAt(two, start + 2 * minute, start + 2 * minute, 2)).toEqual({ kind: "crowded" });
  expect(claimAt(two, start + 2 * minute, start + 2 * minute)).toMatchObject({ kind: "begun" });
});

test("a monitor that has failed three times pauses, each time twice as long, up to three hours", () => {
  let { attempts, now } = died(start, start);
  attempts = afterGivingUp(attempts, start);
  const rests: number[] = [];
  for (let probe = 1; probe <= 9; probe += 1) {
    const claim = claimAt(attempts, start + probe * minute, now);
    if (claim.kind !== "resting") throw new Error(`It is ${claim.kind}.`);
    rests.push((claim.until - now) / minute);
    attempts = afterGivingUp(beginAttempt(attempts, start + probe * minute, claim.until), start + probe * minute);
    now = claim.until + attemptMilliseconds;
  }

  expect(rests).toEqual([3, 6, 12, 24, 48, 96, 180, 180, 180]);
});

test("a success ends the pause, and keeps the attempts of other instants", () => {
  const { attempts } = died(start, start);
  const later = start + 86_400_000;
  const otherAttempt = beginAttempt(attempts, start + minute, later);

  const after = afterSuccess(otherAttempt, start + minute, later + 1);

  expect(after).toMatchObject({ unproven: 0, trials: [{ instant: start, made: 3 }] });
  expect(claimAt(after, start + 2 * minute, later + 2)).toMatchObject({ kind: "begun" });
  expect(afterSuccess(beginAttempt(undefined, start, start), start, start)).toBeUndefined();
  expect(afterSuccess(after, start + 5 * minute, later)).toBe(after);
});
