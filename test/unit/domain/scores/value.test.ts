import { expect, test } from "vitest";
import { scoreNumber } from "../../../../lib/domain/scores/number.ts";
import { someScore } from "../../../support/scores.ts";
import { judgeIdentity } from "../../../../lib/domain/scores/score.ts";
import { editScore } from "../../../../lib/domain/scores/edit.ts";
import { normalizeValue, scoreValueFlaw } from "../../../../lib/domain/scores/value.ts";

test.each(["0", "-0", "1", "+1", "007", ".5", "5.", "1e3", "1E-3", "-1.5e+2", "9".repeat(255)])(
  "%s is a number",
  (value) => {
    expect(scoreValueFlaw("NUMERIC", value)).toBeNull();
  },
);

test.each(["", ".", "e3", "1e", "0x10", "1,5", "1_0", " 1", "1 ", "1\n", "nan", "Infinity", "1e309", "٣", "1.2.3"])(
  "%j is not a number",
  (value) => {
    expect(scoreValueFlaw("NUMERIC", value)).toBe("NUMERIC score must be a valid number");
  },
);

test("booleans are true and false in any case, and are stored in lower case", () => {
  expect(["true", "FALSE", "True"].map((value) => scoreValueFlaw("BOOLEAN", value))).toEqual([null, null, null]);
  expect(["1", "yes", "", "true "].map((value) => scoreValueFlaw("BOOLEAN", value) !== null)).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  expect(normalizeValue("BOOLEAN", "FALSE")).toBe("false");
});

test("a category is any text and is stored as written", () => {
  expect(scoreValueFlaw("CATEGORICAL", "TRUE")).toBeNull();
  expect(normalizeValue("CATEGORICAL", "TRUE")).toBe("TRUE");
  expect(normalizeValue("NUMERIC", "1.50")).toBe("1.50");
});

const failed = someScore({
  project_id: "p",
  trace_id: "t",
  name: "helpful",
  value: null,
  status: "FAILED",
  source: "AUTOMATED",
  applicable: null,
  reason: "The judge was away.",
  metadata: { code: "judge_unavailable" },
  eval_run_id: "r",
  environment: "test",
});
const later = "2026-11-21T10:00:00+00:00";

test("a failed score that gets only a reason is a success without a value, still of its run", () => {
  expect(editScore(failed, { reason: "Looked at by hand." }, "u", later)).toEqual({
    ...failed,
    status: "SUCCESS",
    source: "ANNOTATION",
    reason: "Looked at by hand.",
    author_user_id: "u",
    original: {
      value: null,
      reason: "The judge was away.",
      status: "FAILED",
      source: "AUTOMATED",
      applicable: null,
      judge: null,
      success: null,
      metadata: { code: "judge_unavailable" },
      at: failed.updated_at,
    },
    updated_at: later,
  });
});

test("an edit replaces metadata whole, and an editor with a key replaces the author", () => {
  const edited = editScore({ ...failed, author_user_id: "u" }, { value: "1", metadata: { b: 1 } }, null, later);

  expect(edited).toMatchObject({ value: "1", metadata: { b: 1 }, author_user_id: null });
  expect(edited.metadata).not.toHaveProperty("code");
});

test("the judge's values are kept at the first edit, whoever edits again; a person's values are not kept", () => {
  const judged = someScore({ project_id: "p", trace_id: "t", value: "0.25", source: "AUTOMATED", reason: "Poor." });

  const once = editScore(judged, { value: "0.5", metadata: {} }, "u", later);
  const twice = editScore(once, { value: "0.75", reason: "Better." }, "w", "2026-11-21T11:00:00+00:00");
  const edited = editScore(someScore({ project_id: "p", trace_id: "t" }), { value: "0" }, "u", later);

  expect(once.original).toEqual({
    value: "0.25",
    reason: "Poor.",
    status: "SUCCESS",
    source: "AUTOMATED",
    applicable: true,
    judge: null,
    success: null,
    metadata: {},
    at: judged.updated_at,
  });
  expect(twice).toMatchObject({ value: "0.75", reason: "Better.", original: once.original });
  expect(edited.original).toBeNull();
});

test("a new value succeeds by the threshold, and the judge's value and author stay in the original", () => {
  const judge = judgeIdentity("openai/gpt-5.4-mini", "0123456789ab");
  const metadata = { model: "openai/gpt-5.4-mini", threshold: 0.5, success: true };
  const score = someScore({ project_id: "p", trace_id: "t", value: "1.0", source: "AUTOMATED", judge, metadata });

  const edited = editScore(score, { value: "0.25" }, "u", later);
  const secondEdit = editScore(edited, { value: "0.75" }, "u", later);
  const explained = editScore(score, { reason: "Right." }, "u", later);

  expect(edited).toMatchObject({ value: "0.25", metadata: { threshold: 0.5, success: false } });
  expect(edited.original).toMatchObject({ value: "1.0", judge: judge.id, success: true });
  expect(secondEdit).toMatchObject({ metadata: { success: true }, original: edited.original });
  expect(explained).toMatchObject({ value: "1.0", judge, metadata });
});

test("a score that does not apply becomes applicable when its editor sets a value, but not by a reason alone", () => {
  const nothing = { applicable: false, inapplicable_code: "no_plan", source: "AUTOMATED" } as const;
  const score = someScore({ project_id: "p", trace_id: "t", ...nothing });

  const explained = editScore(score, { reason: "There was none." }, "u", later);
  const valued = editScore(explained, { value: "0.5" }, "u", later);

  expect(explained).toMatchObject({ applicable: false, inapplicable_code: "no_plan" });
  expect(valued).toMatchObject({ applicable: true, inapplicable_code: null, original: { applicable: false } });
});

test.each([
  ["NUMERIC", "-2.5", true, -2.5],
  ["NUMERIC", "4", null, 4],
  ["NUMERIC", null, null, null],
  ["NUMERIC", "1.0", false, null],
  ["BOOLEAN", "true", true, 1],
  ["BOOLEAN", "false", null, 0],
  ["BOOLEAN", "true", false, null],
  ["CATEGORICAL", "5", true, null],
] as const)("the number of a %s score of %s, applicable %s, is %s", (data_type, value, applicable, number) => {
  expect(scoreNumber({ data_type, value, applicable })).toBe(number);
});
