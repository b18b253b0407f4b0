import { expect, test } from "vitest";
import { automatedScore } from "../../../../lib/domain/scores/automated-score.ts";
import { formatValue } from "../../../../lib/domain/scores/score.ts";

test.each([
  [1, "1.0"],
  [0, "0.0"],
  [-0, "0.0"],
  [0.5, "0.5"],
  [2 / 3, "0.6667"],
  [0.123_449, "0.1234"],
  [0.99996, "1.0"],
  [0.00004, "0.0"],
  [0.00005, "0.0001"],
  [0.1 + 0.2, "0.3"],
])("%d is formatted as %s", (value, text) => {
  expect(formatValue(value)).toBe(text);
});

const pair = { projectId: "p", runId: "r", target: "t", metric: "m" };

test("a judgement with a value is a success, one without is a failure", () => {
  const at = "2026-10-01T10:00:00+00:00";
  const trace = { environment: "prod", startedAt: "2026-10-01T09:00:00+00:00", contentVersion: 1 };

  const good = automatedScore(pair, { value: 1, reason: "Good.", metadata: { model: "x" } }, trace, at);
  const bad = automatedScore(
    pair,
    { value: null, reason: "It refused.", metadata: { code: "judge_refused" } },
    trace,
    at,
  );

  expect(good).toMatchObject({
    value: "1.0",
    status: "SUCCESS",
    source: "AUTOMATED",
    environment: "prod",
    created_at: at,
  });
  expect(bad).toMatchObject({ value: null, status: "FAILED", metadata: { code: "judge_refused" } });
  expect(good.id).toBe(bad.id);
});
