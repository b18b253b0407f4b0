import type { LintedMetric, LintWarning } from "./lint-warning.ts";

/** Words by which a statement asks for what decision models are weak at, in the order in which they are looked for. */
const weaknesses: readonly (readonly [words: RegExp, weakness: string])[] = [
  [/\b(?:how many|number of|at (?:least|most)|(?:more|fewer|less) than|exactly|twice|count(?:s|ed)?)\b/iu, "counting"],
  [/\b(?:sum|total|difference|average|percent(?:age)?|add(?:s|ed)? up)\b|%/iu, "arithmetic"],
  [/\b(?:date|deadline|days?|weeks?|months?|years?|hours?|overdue|expired?)\b/iu, "dates"],
  [/\b(?:not|never|no|none|nobody|nothing|without|neither|nor)\b|n['’]t\b/iu, "negation"],
];

/** Warns about statements that decision models often misjudge. */
export const decisionWarnings = ({ statements }: Pick<LintedMetric, "statements">): readonly LintWarning[] =>
  statements.flatMap(({ text }, index) => {
    const [, weakness] = weaknesses.find(([words]) => words.test(text)) ?? [];
    if (weakness === undefined) return [];
    const message = `Decision models are weak at ${weakness}. Ask for what the record shows, compute the rest in a check, or name a chat model.`;
    return [{ field: ["statements", index, "text"], rule: "decision_model" as const, message }];
  });
