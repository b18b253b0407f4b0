import { expect, test } from "vitest";
import { firstState, type AlertState } from "../../../../lib/domain/alerts/state.ts";
import { stoppedStep, type RunEnd } from "../../../../lib/domain/alerts/stopped.ts";

const end = (at: number, scored: number, failed: number): RunEnd => ({ at, scored, failed, message: null });

test("evaluation has stopped while runs with targets score none, and runs in any order or twice change it once", () => {
  let state: AlertState = firstState;
  const ends = [
    end(1, 3, 1),
    end(2, 0, 4),
    end(3, 0, 0),
    end(2, 0, 4),
    end(4, 0, 4),
    end(1, 3, 1),
    end(5, 1, 3),
    end(4, 0, 4),
    { ...end(6, 0, 0), isBlocked: true as const },
    { ...end(7, 0, 0), isBlocked: true as const },
    end(8, 1, 0),
  ];
  const transitions = ends.map((each) => {
    const step = stoppedStep(state, each);
    state = step?.state ?? state;
    return step?.transition;
  });

  const none = undefined;
  expect(transitions.slice(0, 8)).toEqual([null, "raised", none, none, null, none, "cleared", none]);
  // A run that cannot go on, and one that cannot either.
  expect(transitions.slice(8)).toEqual(["raised", none, "cleared"]);
  expect(state).toMatchObject({ name: "OK", windowEnd: 8 });
});
