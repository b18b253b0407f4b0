import type { Rubric } from "./rubric.ts";

/** A rubric as it is shown: how many answers of a line have to be given stands there in any case. */
export const rubricShown = ({ levels, statements, rule, otherwise }: Rubric) => ({
  levels: [...levels],
  statements: [...statements],
  rule: rule.map(({ level, answers, least }) => {
    const given = Object.entries(answers).flatMap(([name, answer]) =>
      answer === undefined ? [] : [[name, answer] as const],
    );
    return { level, answers: Object.fromEntries<string>(given), least: least ?? given.length };
  }),
  otherwise,
});
