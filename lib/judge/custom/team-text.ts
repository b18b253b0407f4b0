const rules = /={3,}/gu;
const lineBreaks = /\s*[\r\n\v\f\u0085\u2028\u2029]\s*/gu;

/** Spreads runs of `=` in a team's text (`=====` becomes `= = = = =`), so that it cannot imitate the separator lines of a prompt. */
export const withoutRules = (text: string): string => text.replace(rules, (rule) => Array.from(rule).join(" "));

/** Puts a team's text on one line, so that no part of it looks like a line of the question. */
export const inOneLine = (text: string): string => withoutRules(text.replace(lineBreaks, " "));
