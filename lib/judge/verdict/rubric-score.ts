import { decide, type Rubric } from "../../domain/metrics/rubric.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { NoScore, Scored } from "../metric.ts";
import type { AnsweredStatement } from "../question/rubric-question.ts";

const listed = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/** Each text once, in order. */
const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts.map((text) => text.trim()))];

/** What a judge answered to a rubric's statements, as a score: the level that follows by the rule, and which statements led to it. */
export const rubricScore = (
  rubric: Rubric,
  answered: Readonly<Record<string, AnsweredStatement>>,
  details: JsonObject,
): Scored | NoScore => {
  const answers = Object.fromEntries(Object.entries(answered).map(([name, { answer }]) => [name, answer]));
  const reasonsOf = (names: readonly string[]): readonly string[] => names.map((name) => answered[name]?.reason ?? "");
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
  const { level, by } = decision;
  const others = rubric.statements.map(({ name }) => name).filter((name) => !by.includes(name));
  const told = unique(reasonsOf([...by, ...others])).join(" ");
  const [yes, no] = (["yes", "no"] as const).map((answer) => by.filter((name) => answers[name] === answer));
  const decided = [...(yes?.length ? [`${listed(yes)}: yes`] : []), ...(no?.length ? [`${listed(no)}: no`] : [])].join(
    ", ",
  );
  const cited = new Map<string, string[]>();
  for (const [name, { evidence }] of Object.entries(answered)) {
    for (const text of new Set(evidence)) cited.set(text, [...(cited.get(text) ?? []), name]);
  }
  return {
    value: level.value,
    reason: `${told} (${level.name}, by ${decided}.)`,
    details: {
      ...details,
      level: level.name,
      statements: answers,
      evidence: [...cited.keys()],
    },
    citedFor: [...cited.values()],
  };
};
