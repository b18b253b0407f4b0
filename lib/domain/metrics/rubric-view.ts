import type { Rubric } from "./rubric.ts";

/** Converts a rubric for API responses; the number of required answers of each rule line is always present. */
export const rubricView = ({ levels, statements, rule, otherwise }: Rubric) => ({
  levels: [...levels],
  statements: [...statements],
  rule: rule.map(({ level, answers, least }) => {
    const presentAnswers = Object.entries(answers).flatMap(([name, answer]) =>
      answer === undefined ? [] : [[name, answer] as const],
    );
    return { level, answers: Object.fromEntries<string>(presentAnswers), least: least ?? presentAnswers.length };
  }),
  otherwise,
});
