import { abbreviate } from "../../text.ts";
import type { YesNo } from "../rubric.ts";

const verbs =
  "is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|isn't|aren't|wasn't|weren't|doesn't|don't|didn't|hasn't|haven't|hadn't|can't|couldn't|won't|wouldn't|shouldn't";
const nouns =
  "actions?|agents?|ai|answers?|articles?|assistants?|bots?|calls?|chatbots?|claims?|code|content|context|conversations?|customers?|dialogues?|documents?|e-?mails?|facts?|info|information|inputs?|interactions?|judges?|language|messages?|models?|outputs?|plans?|problems?|prompts?|queries|query|questions?|records?|replies|reply|requests?|responses?|results?|sentences?|sessions?|sources?|sql|statements?|steps?|summaries|summary|systems?|tasks?|texts?|tone|tools?|traces?|transcripts?|turns?|users?|words?";
/** Nouns that are never a verb behind the subject. */
const actors = "agents?|ai|assistants?|bots?|chatbots?|customers?|users?";
const pronouns =
  "anybody|anyone|anything|everybody|everyone|everything|he|it|nobody|nothing|she|somebody|someone|something|there|they|this|we|you";

/** Matches "the agent answer" in "Is the agent answer polite?", but only "the agent" in "Did the agent answer?". */
const noFollowingNoun = String.raw`(?!\s+(?:${actors})\b)(?:(?<!^(?:is|are|was|were)\s[\s\S]*)|(?!\s+(?:${nouns})\b))`;
/** Matches a question whose subject is a common noun of the field, or a pronoun: verb, subject, rest. */
const invertedQuestion = new RegExp(
  String.raw`^(?<verb>${verbs})\s+(?<subject>(?:(?:the|this|that|these|those|an?|any|all|each|every|its|his|her|their|our|your)\s+(?:[\w'’-]+\s+){0,2}?)?(?:${nouns})\b${noFollowingNoun}|${pronouns})\s+(?<rest>\S[\s\S]*)$`,
  "iu",
);

/** Maximum characters of a question in a clause. */
const maxQuestionLength = 160;

/**
 * Turns a yes-or-no question and its answer into a clause.
 *
 * @example
 * answerClause("Was the agent rude?", "yes"); // "the agent was rude"
 * answerClause("Was the agent rude?", "no"); // "the agent was not rude"
 */
export const answerClause = (question: string, answer: YesNo): string => {
  const text = abbreviate(question.trim().replaceAll(/\s+/gu, " "), maxQuestionLength);
  const { verb, subject, rest } = invertedQuestion.exec(text.replace(/(?<!\s)\s*\?$/u, ""))?.groups ?? {};
  const isOneQuestion = text.split("?").length === 2;
  if (verb === undefined || subject === undefined || rest === undefined || !isOneQuestion)
    return `the answer to "${text}" is ${answer}`;
  const isNegated = /n't$/iu.test(verb);
  const not = answer === "no" && !isNegated ? "not " : "";
  const lowerSubject = subject.replace(/^\p{Lu}(?=\p{Ll}|\b)/u, (letter) => letter.toLowerCase());
  const clause = `${lowerSubject} ${verb.toLowerCase()} ${not}${rest}`;
  // "Wasn't the agent rude?" is answered with no where the agent was rude.
  return answer === "no" && isNegated ? `it is not so that ${clause}` : clause;
};

/** Matches what a sentence such as "Evaluates whether the agent was rude." asks. */
const indirectQuestion =
  /\b(?:whether|(?:assess|check|decide|determine|evaluate|find out|identify|judge|say|see|tell|verify)(?:s|es)?\s+if)\s+(?:or not\s+)?(?<clause>\S[^.?!\n]*)/iu;
const directQuestion = new RegExp(String.raw`(?:^|[.?!:;\n"'“(]\s{0,9})(?<question>(?:${verbs})\s[^.?!\n]*\?)`, "iu");

/** The first question of a text, as the clauses of its two answers; null for a text that asks nothing. */
export const firstQuestion = (text: string): Readonly<Record<YesNo, string>> | null => {
  const question = directQuestion.exec(text)?.groups?.["question"];
  if (question !== undefined) return { yes: answerClause(question, "yes"), no: answerClause(question, "no") };
  const clause = indirectQuestion.exec(text)?.groups?.["clause"]?.trim();
  if (clause === undefined) return null;
  const shortClause = abbreviate(clause, maxQuestionLength);
  return { yes: shortClause, no: `it is not so that ${shortClause}` };
};
