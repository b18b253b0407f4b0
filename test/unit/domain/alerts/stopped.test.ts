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
  ];
  const transitions = ends.map((each) => {
    const step = stoppedStep(state, each);
    state = step?.state ?? state;
    return step?.transition;
  });

  expect(transitions).toEqual([null, "raised", undefined, undefined, null, undefined, "cleared", undefined]);
  expect(state).toMatchObject({ name: "OK", windowEnd: 5 });
});
