import { describe, expect, test } from "vitest";
import { readsAs } from "../../../../lib/domain/metrics/meaning/reads-as.ts";
import { answerClause } from "../../../../lib/domain/metrics/meaning/yes-no-question.ts";
import { customVersion } from "../../../support/custom-metric.ts";

const readingOf = (fields: Parameters<typeof customVersion>[0]) => {
  const { definition, sent } = customVersion(fields);
  return readsAs(definition, sent);
};

const plain = { scale: "yes_no", statements: [], rule: null, otherwise: null, instructions: "" };

describe("the reading of a metric", () => {
  test("states what counts as a success, also where a reader would not expect it", () => {
    const statements = [{ text: "Was the agent rude?" }];
    expect(readingOf({ ...plain, statements })).toBe(
      "1.0 and success: the agent was rude; 0.0 and failure: the agent was not rude",
    );
    expect(readingOf({ ...plain, statements: [{ text: "Was the agent rude?", expected: "no" }], threshold: 0 })).toBe(
      "1.0 and success: the agent was not rude; 0.0 and success: the agent was rude",
    );
  });

  test("reads the question of a metric without statements from its description or its instructions", () => {
    expect(readingOf({ ...plain, description: "Was the agent rude?" })).toMatch(
      /^1\.0 and success: the agent was rude;/u,
    );
    expect(readingOf({ ...plain, description: "Rudeness", instructions: "Check whether the agent was rude." })).toBe(
      "1.0 and success: the agent was rude; 0.0 and failure: it is not so that the agent was rude",
    );
    expect(readingOf({ ...plain, description: "Rudeness" })).toBe(
      '1.0 and success: the answer to "Rudeness" is yes; 0.0 and failure: the answer to "Rudeness" is no',
    );
  });

  test("names the answers that lead to each level of a rule", () => {
    expect(readingOf({ threshold: 0.7 })).toBe(
      "1.0 and success: good, where the agent did say what the user can do instead; " +
        "0.5 and failure: fair, otherwise; " +
        "0.0 and failure: poor, where the agent did not decline to change the name or the agent was rude",
    );
    expect(readingOf({ rule: null, otherwise: null })).toMatch(
      /0\.5 and success: fair, where at least 2 of: .*, the agent was not rude; 0\.0/u,
    );
  });

  test("names the levels of a scale without statements by their meaning", () => {
    expect(readingOf({ statements: [], rule: null, otherwise: null })).toMatch(
      /^1\.0 and success: good, the agent declined and said what to do instead; 0\.5/u,
    );
  });

  test("describes a check and an aggregate in words", () => {
    const check = {
      not: {
        any: [
          { type: "contains", text: "sorry" },
          { type: "tool_calls", max: 2 },
        ],
      },
    };
    expect(readingOf({ ...plain, kind: "check", check })).toBe(
      '1.0 and success: it is not so that (the output contains "sorry" or tools have at most 2 calls); 0.0 and failure: otherwise',
    );
    const fold = { over: "tone", by: "share_at_least", at_least: 0.3 };
    expect(readingOf({ ...plain, kind: "fold", target_type: "SESSION", fold, threshold: 0.9 })).toBe(
      "0.9 or more and success: the share of the session's traces whose score of tone is 0.3 or more is at least 0.9; less and failure: it is lower",
    );
  });
});

describe("a question with its answer", () => {
  test.each([
    ["Did the support agent apologise?", "no", "the support agent did not apologise"],
    ["Is the agent's final answer about flights?", "yes", "the agent's final answer is about flights"],
    ["Is there an insult?", "no", "there is not an insult"],
    ["Wasn't the agent rude?", "no", "it is not so that the agent wasn't rude"],
    ["Were Anna and Ben greeted?", "yes", 'the answer to "Were Anna and Ben greeted?" is yes'],
    ["Is it polite? Is it right?", "yes", 'the answer to "Is it polite? Is it right?" is yes'],
  ] as const)("%s %s", (question, answer, clause) => {
    expect(answerClause(question, answer)).toBe(clause);
  });
});
