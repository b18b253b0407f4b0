import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../lib/domain/json.ts";
import { clip } from "../../../../lib/judge/transcript/shorten.ts";
import { noTokens } from "../../../../lib/prices/price.ts";
import { promptVersion } from "../../../../lib/judge/metric/metric.ts";
import { failureMetadata, scoreMetadata } from "../../../../lib/judge/verdict/verdict.ts";
import { taskCompletion } from "../../../../lib/metrics/trace/task-completion.ts";
import { toolCorrectness } from "../../../../lib/metrics/trace/tool-correctness.ts";
import { judgedMetrics } from "../../../../lib/metrics/trace/definitions.ts";

const provenance = {
  model: "openai/x",
  promptVersion: "0",
  coverage: { shown_characters: 1, total_characters: 1, ratio: 1 },
  setup: "s",
  traceVersion: 1,
  attempts: 1,
  tier: "standard" as const,
  tokens: noTokens,
  flexTokens: noTokens,
  cost: null,
  latency: 1.6,
  unreportedCost: 0,
};
const size = (value: JsonObject): number => Buffer.byteLength(JSON.stringify(value));

describe("metadata of a score", () => {
  test("has at most 16 KB of UTF-8, whatever a judge writes", () => {
    const text = fc.string({ unit: "binary", maxLength: 200 }).map((part) => part.repeat(300));
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ maxLength: 20 }), fc.oneof(text, fc.array(text, { maxLength: 300 })), { maxKeys: 8 }),
        (details) => {
          const metadata = scoreMetadata(provenance, details, { threshold: 0.5, success: true });
          expect(size(metadata)).toBeLessThanOrEqual(16 * 1024);
          expect(metadata).toMatchObject({ threshold: 0.5, success: true, latency_ms: 2 });
        },
      ),
      { numRuns: 60 },
    );
    expect.assertions(120);
  });

  test("keeps shorter values unchanged and ends with threshold and success", () => {
    const metadata = scoreMetadata(
      provenance,
      { task: "t", list: [1, { a: JSON.rawJSON("1e400") }] },
      { threshold: 0.5, success: false },
    );

    expect(JSON.stringify(metadata)).toMatch(
      /"task":"t","list":\[1,\{"a":1e400\}\],"threshold":0\.5,"success":false\}$/u,
    );
  });

  test("of a failure begins with its code and has no cost", () => {
    expect(failureMetadata("judge_auth", provenance)).toMatchObject({
      code: "judge_auth",
      cost_usd: null,
      attempts: 1,
    });
  });

  test.each([
    "judge_malformed",
    "judge_refused",
    "judge_truncated",
    "judge_out_of_range",
    "judge_unavailable",
  ] as const)(
    "of %s names what was reported beside what was not, and never a cost of null because a call reported nothing",
    (code) => {
      expect(failureMetadata(code, { ...provenance, cost: 0.5, unreportedCost: 0.25 })).toMatchObject({
        cost_usd: 0.5,
        unreported_usd: 0.25,
        charged_usd: 0.75,
      });
      expect(failureMetadata(code, { ...provenance, cost: 0.5 })).not.toHaveProperty("unreported_usd");
    },
  );
});

describe("a truncated text", () => {
  test.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["🙂🙂🙂", 4, "🙂…"],
    ["a🙂🙂", 4, "a🙂…"],
    ["\ud83d", 3, "\ufffd"],
  ])("%j to %i is %j", (text, limit, expected) => {
    expect(clip(text, limit)).toBe(expected);
  });

  test("is never longer than its limit and never splits a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const cut = clip(text, limit);
        expect(cut.length <= limit && cut.isWellFormed()).toBe(true);
      }),
    );
    expect.hasAssertions();
  });
});

describe("the version of a prompt", () => {
  test("is stable and differs for each metric", () => {
    expect(promptVersion(taskCompletion)).toBe(promptVersion(taskCompletion));
    expect(new Set(judgedMetrics.map(promptVersion)).size).toBe(judgedMetrics.length);
  });

  test.each([
    ["question", { question: `${taskCompletion.question} ` }],
    ["answer", { answer: toolCorrectness.answer }],
    ["record", { sees: "notes" as const }],
    ["needs", { needs: [{ name: "task", question: "What?", answer: taskCompletion.answer }] }],
  ])("changes with its %s", (_, change) => {
    expect(promptVersion({ ...taskCompletion, ...change })).not.toBe(promptVersion(taskCompletion));
  });
});
