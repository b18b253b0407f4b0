import { expect, test } from "vitest";
import { cascadeVersion } from "../../../../lib/judge/decision/escalation.ts";

test("two judges have the version that the judge of stored scores names", () => {
  const escalate = { to: "openai/b", when: { confidence_below: 0.8, coverage_below: null }, at_most: 0.2 };
  expect(cascadeVersion({ first: "systemone/a", escalate }, ["1", "2"])).toBe("24b072b3d30b");
});
