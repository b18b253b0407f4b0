import { decide, type Rubric } from "../../domain/metrics/rubric.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { NoScore, MetricScore } from "../metric/metric.ts";
import type { AnsweredStatement } from "./rubric-question.ts";

const quotedList = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/** Removes repeated texts, keeping their order. */
const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts.map((text) => text.trim()))];

/**
 * Scores a judge's answers to the statements of a rubric: the rule selects a level, and the reason names the statements that
 * decided. No score if answers of `cannot_tell` leave the level undecided.
 */
export const rubricScore = (
  rubric: Rubric,
  statementAnswers: Readonly<Record<string, AnsweredStatement>>,
  details: JsonObject,
): MetricScore | NoScore => {
  const answers = Object.fromEntries(Object.entries(statementAnswers).map(([name, { answer }]) => [name, answer]));
  const reasonsOf = (names: readonly string[]): readonly string[] =>
    names.map((name) => statementAnswers[name]?.reason ?? "");
  const decision = decide(rubric, answers);
  if (decision.kind === "open") {
    const { statements } = decision;
    const texts = rubric.statements.flatMap(({ name, text }) => (statements.includes(name) ? [text] : []));
    return {
      value: null,
      code: "insufficient_evidence",
      reason: `The judge cannot tell from what it was shown: ${unique([...texts, ...reasonsOf(statements)]).join(" ")}`,
      details: { statements: answers },
    };
  }
  const { level, by: decisive } = decision;
  const otherNames = rubric.statements.map(({ name }) => name).filter((name) => !decisive.includes(name));
  const reasons = unique(reasonsOf([...decisive, ...otherNames])).join(" ");
  const [yesNames, noNames] = (["yes", "no"] as const).map((answer) =>
    decisive.filter((name) => answers[name] === answer),
  );
  const decisiveAnswers = [
    ...(yesNames?.length ? [`${quotedList(yesNames)}: yes`] : []),
    ...(noNames?.length ? [`${quotedList(noNames)}: no`] : []),
  ].join(", ");
  const namesByCitation = new Map<string, string[]>();
  for (const [name, { evidence }] of Object.entries(statementAnswers)) {
    for (const text of new Set(evidence)) namesByCitation.set(text, [...(namesByCitation.get(text) ?? []), name]);
  }
  return {
    value: level.value,
    reason: `${reasons} (${level.name}, by ${decisiveAnswers}.)`,
    details: {
      ...details,
      level: level.name,
      statements: answers,
      evidence: [...namesByCitation.keys()],
    },
    citedStatements: [...namesByCitation.values()],
  };
};
