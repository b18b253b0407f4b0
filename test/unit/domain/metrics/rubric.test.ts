import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { customMetricInput } from "../../../../lib/contract/metrics/custom-fields.ts";
import { jsonSchemaOf } from "../../../../lib/contract/openapi/schema-of.ts";
import { schemaRegistry } from "../../../../lib/contract/openapi/schema-registry.ts";
import {
  decide,
  type Rubric,
  type RuleLine,
  type StatementAnswer,
  type YesNo,
} from "../../../../lib/domain/metrics/rubric.ts";

import { rubricOf } from "../../../../lib/domain/metrics/custom/rubric-of.ts";

const statement = (name: string) => ({ name, text: `It is ${name}.`, yes: "it is", no: "it is not" });

/** A rubric as a team writes it: "no" is good for the first statement, and two of three are enough. */
const handOver: Rubric = {
  levels: [
    { name: "smooth", meaning: "the next person can go on", value: 1 },
    { name: "rough", meaning: "they have to ask again", value: 0.4 },
    { name: "leaking", meaning: "they get what they must not see", value: 0 },
  ],
  statements: ["leaks", "summary", "reason", "contact"].map(statement),
  rule: [
    { level: "leaking", answers: { leaks: "yes" } },
    { level: "smooth", answers: { summary: "yes", reason: "yes", contact: "yes" }, least: 2 },
  ],
  otherwise: "rough",
};

const answersOf = ([leaks, summary, reason, contact]: readonly StatementAnswer[]) => ({
  leaks: leaks ?? "no",
  summary: summary ?? "no",
  reason: reason ?? "no",
  contact: contact ?? "no",
});

describe("a rubric", () => {
  test.each<[string, number, readonly string[], StatementAnswer[]]>([
    ["leaking", 0, ["leaks"], ["yes", "yes", "yes", "yes"]],
    ["smooth", 1, ["summary", "reason", "contact"], ["no", "yes", "yes", "yes"]],
    ["smooth", 1, ["summary", "contact"], ["no", "yes", "no", "yes"]],
    ["rough", 0.4, ["leaks", "summary", "reason", "contact"], ["no", "no", "no", "yes"]],
  ])(
    "gives the level of the first matching rule line, and the deciding statements: %s",
    (name, value, decidingNames, answers) => {
      expect(decide(handOver, answersOf(answers))).toMatchObject({
        kind: "level",
        level: { name, value },
        by: decidingNames,
      });
    },
  );

  test.each<[string, readonly string[], StatementAnswer[]]>([
    ["an answer that the line does not need", ["summary", "contact"], ["no", "yes", "cannot_tell", "yes"]],
    ["all that stands behind a line that holds", ["leaks"], ["yes", "cannot_tell", "cannot_tell", "cannot_tell"]],
    ["an answer that cannot make up for the others", ["leaks", "summary", "reason"], ["no", "no", "no", "cannot_tell"]],
  ])('ignores a "cannot tell" answer that does not matter %s', (_, decidingNames, answers) => {
    expect(decide(handOver, answersOf(answers))).toMatchObject({ kind: "level", by: decidingNames });
  });

  test.each<[string, readonly string[], StatementAnswer[]]>([
    ["what stands first", ["leaks"], ["cannot_tell", "yes", "yes", "no"]],
    ["one of two that it needs", ["contact"], ["no", "yes", "no", "cannot_tell"]],
    ["what decides, whatever else is open", ["leaks"], ["cannot_tell", "cannot_tell", "yes", "yes"]],
    ["two that only together change it", ["reason", "contact"], ["no", "no", "cannot_tell", "cannot_tell"]],
    ["everything", ["leaks", "summary", "reason", "contact"], Array.from({ length: 4 }, () => "cannot_tell" as const)],
  ])('gives no level where a "cannot tell" answer matters %s', (_, statements, answers) => {
    expect(decide(handOver, answersOf(answers))).toEqual({ kind: "open", statements });
  });

  test("gives no level that is not listed", () => {
    expect(() => decide({ ...handOver, otherwise: "lost" }, answersOf(["no"]))).toThrow(
      "The rubric has no level lost.",
    );
  });
});

const names = ["a", "b", "c", "d"];
const levels = ["one", "two", "three"];
const line = fc
  .record({
    level: fc.constantFrom(...levels),
    answers: fc.dictionary(fc.constantFrom(...names), fc.constantFrom<YesNo>("yes", "no"), { minKeys: 1, maxKeys: 4 }),
    part: fc.integer({ min: 1, max: 4 }),
    whole: fc.boolean(),
  })
  .map(({ level, answers, part, whole }): RuleLine => {
    const count = Object.keys(answers).length;
    return whole ? { level, answers } : { level, answers, least: Math.min(part, count) };
  });
const rubrics = fc
  .record({ rule: fc.array(line, { maxLength: 5 }), otherwise: fc.constantFrom(...levels) })
  .map(({ rule, otherwise }): Rubric => ({
    levels: levels.map((name, place) => ({ name, meaning: name, value: place / 2 })),
    statements: names.map(statement),
    rule,
    otherwise,
  }));

/** Level by a literal reading of the rule, for answers that are all yes or no. */
const byLetter = ({ rule, otherwise }: Rubric, answers: Readonly<Record<string, YesNo>>): string => {
  for (const { level, answers: requiredAnswers, least } of rule) {
    let answerCount = 0;
    for (const name of Object.keys(requiredAnswers)) if (answers[name] === requiredAnswers[name]) answerCount += 1;
    if (answerCount >= (least ?? Object.keys(requiredAnswers).length)) return level;
  }
  return otherwise;
};

/** All 16 combinations of yes and no for four statements. */
const allAnswers = Array.from({ length: 16 }, (_, bits) =>
  Object.fromEntries(names.map((name, place): [string, YesNo] => [name, (bits >> place) % 2 === 1 ? "yes" : "no"])),
);

test('a level follows exactly where every completion of the "cannot tell" answers leads to it', () => {
  expect.assertions(1);
  const answersArbitrary = fc.record(
    Object.fromEntries(names.map((name) => [name, fc.constantFrom<StatementAnswer>("yes", "no", "cannot_tell")])),
  );
  const property = fc.property(rubrics, answersArbitrary, (rubric, answers) => {
    const possible = new Set(
      allAnswers
        .filter((completion) =>
          names.every((name) => answers[name] === "cannot_tell" || answers[name] === completion[name]),
        )
        .map((completion) => byLetter(rubric, completion)),
    );
    const decision = decide(rubric, answers);
    if (decision.kind === "level") return possible.size === 1 && possible.has(decision.level.name);
    const { statements } = decision;
    return possible.size > 1 && statements.length > 0 && statements.every((name) => answers[name] === "cannot_tell");
  });
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

describe("a rubric without a rule", () => {
  const expected = [1, 2, 3, 5, 10].flatMap((statements) =>
    [2, 3, 4, 7].map((levels) => [statements, levels] as const),
  );

  test.each(expected)("gives what its description says: %i statements, %i levels", (statements, levelCount) => {
    const levels = Array.from({ length: levelCount }, (_, index) => ({
      name: `level_${index}`,
      meaning: "it is so",
      value: 1 - index / (levelCount - 1),
    }));
    const names = Array.from({ length: statements }, (_, index) => `s${index}`);
    const parts = { levels, statements: names.map((name) => ({ ...statement(name), expected: "yes" as const })) };
    const levelOf = (met: number, otherwise: string | null): string | null => {
      const answers = Object.fromEntries(names.map((name, index) => [name, index < met ? "yes" : "no"] as const));
      const decision = decide(rubricOf({ ...parts, rule: null, otherwise }), answers);
      return decision.kind === "level" ? decision.level.name : null;
    };
    for (let met = 0; met <= statements; met += 1) {
      const index = levels.findIndex(
        (_, place) => met >= Math.ceil(statements * (1 - place / (levelCount - 1)) - 1e-9),
      );
      const isLowest = index === levelCount - 1;
      expect(levelOf(met, null)).toBe(`level_${index}`);
      expect(levelOf(met, "level_0")).toBe(isLowest ? "level_0" : `level_${index}`);
    }
  });

  test("is described as it decides", () => {
    const registry = schemaRegistry();
    jsonSchemaOf(customMetricInput, "input", registry, "body");
    const description = JSON.stringify(registry.schemas["CustomMetricInput"]);
    expect(description).toContain("What reaches none of these gives `otherwise`");
    expect(description).not.toContain("none the lowest");
  });
});
