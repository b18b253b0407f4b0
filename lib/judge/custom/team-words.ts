const rules = /={3,}/gu;
const lineBreaks = /\s*[\r\n\v\f\u0085\u2028\u2029]\s*/gu;

/** A team's text that cannot draw the lines around it: `=====` becomes `= = = = =`. */
export const withoutRules = (text: string): string => text.replace(rules, (rule) => Array.from(rule).join(" "));

/** A team's text where a question has one line for it, so that nothing of it looks like a line of the question's own. */
export const inOneLine = (text: string): string => withoutRules(text.replace(lineBreaks, " "));
