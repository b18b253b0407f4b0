import { foldCase } from "../../text.ts";
import type { Json } from "../../json.ts";
import type { Condition, TextPart } from "../check.ts";
import { checkedText, valuesOf, type CheckedTrace, type LocatedValue } from "../checked-trace.ts";
import { createFinding, quoted, type Finding, type PreparedCondition } from "../finding.ts";
import { prepareSchema } from "../json-schema.ts";
import { maxSearchedCharacters, compilePattern } from "../pattern.ts";
import { boundsText, isWithin } from "./within.ts";

type ConditionOf<T extends Condition["type"]> = Extract<Condition, { readonly type: T }>;

/** Names the examined texts as the subject of a clause, such as `the output` or `each output of "search"`. */
const subject = (
  { of, span }: { readonly of: TextPart; readonly span: string | null },
  quantifier: "a" | "each",
): string => {
  if (of === "output" || of === "input") return `the ${of}`;
  return `${quantifier === "a" ? "an" : "each"} ${of === "span_outputs" ? "output" : "input"} of ${span === null ? "the spans" : `"${span}"`}`;
};

/** Returns the first value whose text satisfies a predicate. */
const firstValueWhere = (
  values: readonly LocatedValue[],
  predicate: (text: string) => boolean,
): LocatedValue | undefined => values.find(({ value }) => predicate(checkedText(value)));

export const matchesCondition = ({
  pattern: text,
  ignore_case: ignoreCase,
  ...texts
}: ConditionOf<"matches">): PreparedCondition | string => {
  const pattern = compilePattern(text, ignoreCase);
  if (typeof pattern === "string") return pattern;
  const evaluate = ({ trace }: CheckedTrace): Finding => {
    let remaining = maxSearchedCharacters;
    for (const { value, span } of valuesOf(trace, texts.of, texts.span)) {
      const fullText = checkedText(value);
      const searchedText = fullText.slice(0, remaining);
      // In a shortened text `$` could match at the cut instead of the end, so the result is undecided.
      if (searchedText.length < fullText.length) {
        return createFinding(null, `there are more than ${maxSearchedCharacters} characters to look through`, [span]);
      }
      if (pattern.matches(searchedText)) return createFinding(true, `the pattern is found`, [span]);
      remaining -= searchedText.length;
    }
    return createFinding(false, "the pattern is not found");
  };
  return { clause: `${subject(texts, "a")} matches ${quoted(text)}`, evaluate, instructions: pattern.size };
};

/** Returns the first value that contains the condition's text, for both `contains` and `lacks`. */
const firstValueContaining = (
  { trace }: CheckedTrace,
  { of, span, text, ignore_case: ignoreCase }: ConditionOf<"contains" | "lacks">,
) => {
  const searchText = ignoreCase ? foldCase(text) : text;
  return firstValueWhere(valuesOf(trace, of, span), (candidate) =>
    (ignoreCase ? foldCase(candidate) : candidate).includes(searchText),
  );
};

export const containsCondition = (condition: ConditionOf<"contains" | "lacks">): PreparedCondition => {
  const isNegated = condition.type === "lacks";
  return {
    clause: isNegated
      ? `${subject(condition, "each")} lacks ${quoted(condition.text)}`
      : `${subject(condition, "a")} contains ${quoted(condition.text)}`,
    evaluate: (trace) => {
      const match = firstValueContaining(trace, condition);
      return match === undefined
        ? createFinding(isNegated, "the text is not there")
        : createFinding(!isNegated, "the text is there", [match.span]);
    },
    instructions: 0,
  };
};

const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

export const lengthCondition = (condition: ConditionOf<"length">): PreparedCondition => ({
  clause: `${subject(condition, "each")} has ${boundsText(condition, "character", "characters")}`,
  evaluate: ({ trace }) => {
    let longest = 0;
    for (const { value, span } of valuesOf(trace, condition.of, condition.span)) {
      const characters = lengthOf(checkedText(value));
      if (!isWithin(condition, characters)) return createFinding(false, `it has ${characters}`, [span]);
      longest = Math.max(longest, characters);
    }
    return createFinding(true, `it has ${longest}`);
  },
  instructions: 0,
});

/** Parses a text as JSON; undefined if it is not JSON. */
const parseJson = (value: Json): Json | undefined => {
  if (typeof value !== "string") return value === null ? undefined : value;
  try {
    const parsed: Json = JSON.parse(value);
    return parsed;
  } catch {
    return undefined;
  }
};

export const jsonCondition = ({ schema: inputSchema, ...texts }: ConditionOf<"json">): PreparedCondition | string => {
  const schema = inputSchema === null ? null : prepareSchema(inputSchema);
  if (typeof schema === "string") return schema;
  const evaluate = ({ trace }: CheckedTrace): Finding => {
    let remaining = maxSearchedCharacters;
    for (const { value, span } of valuesOf(trace, texts.of, texts.span)) {
      const parsedValue = parseJson(value);
      if (parsedValue === undefined) return createFinding(false, "it is no JSON", [span]);
      if (schema === null) continue;
      remaining -= checkedText(value).length;
      if (remaining < 0)
        return createFinding(null, `there are more than ${maxSearchedCharacters} characters to look through`, [span]);
      const flaw = schema.flawOf(parsedValue);
      if (flaw !== null) return createFinding(false, flaw.slice(0, 300), [span]);
    }
    return createFinding(true, "it is");
  };
  const clause = `${subject(texts, "each")} is JSON${schema === null ? "" : " of the schema"}`;
  return { clause, evaluate, instructions: schema?.size ?? 0 };
};
