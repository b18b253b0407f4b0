import { expect, test } from "vitest";
import { doubtsAfter, isHopeless, type Doubt } from "../../../../lib/domain/runs/doubts.ts";

const at = 900;
const failing = (pair: number, answered: boolean, isOnlyTarget = false) => ({
  pair,
  hasAnsweredSince: (instant: number) => answered && instant < 600,
  isOnlyTarget,
});
const doubt = (attempts: number, since: number, isAnswered: boolean): Doubt => ({ attempts, since, isAnswered });

test.each([
  ["first fails beside others", undefined, failing(1, true), doubt(1, at, false)],
  ["fails alone", undefined, failing(1, true, true), doubt(1, at, true)],
  ["fails again without an answer since", doubt(4, 500, false), failing(1, false), doubt(1, at, false)],
  ["fails again after an earlier answer", doubt(4, 700, false), failing(1, true), doubt(1, at, false)],
  ["fails again after an answer since", doubt(4, 500, false), failing(1, true), doubt(2, 500, true)],
  ["fails again after it had an answer", doubt(4, 500, true), failing(1, false), doubt(5, 500, true)],
])(
  "the doubt about a pair that %s counts the attempts that an outage does not explain",
  (_, earlier, failure, after) => {
    const before = new Map(earlier === undefined ? [] : [[1, earlier]]);
    expect(doubtsAfter(before, [failure], () => true, at)).toEqual(new Map([[1, after]]));
  },
);

test("doubts are kept about 200 open pairs at most, and those about settled ones are forgotten", () => {
  const before = new Map(Array.from({ length: 200 }, (_, pair) => [pair, doubt(4, 500, true)]));
  const again = [failing(0, false), failing(300, false)];
  const full = doubtsAfter(before, again, () => true, at);
  const afterOne = doubtsAfter(full, again, (pair) => pair !== 7, at);

  expect([full.size, isHopeless(full.get(0)), full.has(300)]).toEqual([200, true, false]);
  expect([afterOne.size, afterOne.has(7), afterOne.get(300)]).toEqual([200, false, doubt(1, at, false)]);
  expect([isHopeless(doubt(4, 500, true)), isHopeless(doubt(5, 500, false))]).toEqual([false, false]);
});
