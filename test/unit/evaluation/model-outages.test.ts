import { expect, test } from "vitest";
import { modelOutages } from "../../../lib/evaluation/slices/model-outages.ts";

const [first, second] = ["systemone/jev", "openai/judge"];
const when = { confidence_below: 0.8, coverage_below: null };
const judge = { first, escalate: { to: second, when, at_most: 1 } };

test.each([
  ["a model", second, { resolvedModel: second }],
  ["the second judge of a run", second, { resolvedModel: first, judge }],
  ["the first judge of a run", first, { resolvedModel: first, judge }],
])(
  "%s that does not answer comes last twice as long each time, up to 15 minutes, until it answers",
  (_, model, order) => {
    let at = 0;
    const outages = modelOutages(() => at);
    const seconds = Array.from({ length: 7 }, () => {
      outages.note({ answered: [], unanswered: [model, model] });
      const start = at;
      at = outages.until(order);
      return (at - start) / 1000;
    });
    outages.note({ answered: ["openai/another"], unanswered: [] });
    const hasEnded = !outages.hasAny();
    at -= 1;
    const hasLasted = outages.hasAny();
    outages.note({ answered: [model], unanswered: [] });

    expect(seconds).toEqual([30, 60, 120, 240, 480, 900, 900]);
    expect([hasEnded, hasLasted, outages.until(order), outages.hasAny()]).toEqual([true, true, 0, false]);
  },
);
