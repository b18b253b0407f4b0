import { foldCase } from "../../traces/search/case-folding.ts";
import { hasEqualValue, parseLossless, type Json } from "../../json.ts";
import type { Condition, Reference, TextPart } from "../check.ts";
import { checkedText, valuesOf, type CheckedTrace } from "../checked-trace.ts";
import { createFinding, quoted, type Finding, type PreparedCondition } from "../finding.ts";
import { prepareSchema } from "../json-schema.ts";
import { maxSearchedCharacters, compilePattern } from "../pattern.ts";
import { maxComparedCharacters, similarityOf } from "../similarity.ts";
import { boundsText, isWithin } from "./within.ts";

type ConditionOf<T extends Condition["type"]> = Extract<Condition, { readonly type: T }>;

const referenceWords: Readonly<Record<Reference, string>> = {
  output: "the output",
  input: "the input",
  expected_output: "the expected output",
};

/** Names the examined texts as the subject of a clause, such as `the output` or `each output of "search"`. */
const subject = (
  { of, span }: { readonly of: TextPart; readonly span: string | null },
  quantifier: "a" | "each",
): string => {
  if (of === "output" || of === "input" || of === "expected_output") return referenceWords[of];
  return `${quantifier === "a" ? "an" : "each"} ${of === "span_outputs" ? "output" : "input"} of ${span === null ? "the spans" : `"${span}"`}`;
};

export const matchesCondition = ({
  pattern: text,
  ignore_case: ignoreCase,
  ...texts
}: ConditionOf<"matches">): PreparedCondition | string => {
  const pattern = compilePattern(text, ignoreCase);
  if (typeof pattern === "string") return pattern;
  const evaluate = (checked: CheckedTrace): Finding => {
    let remaining = maxSearchedCharacters;
    for (const { value, span } of valuesOf(checked, texts.of, texts.span)) {
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

type Comparing = Extract<Condition, { readonly text: string | null }>;

/** Returns the value that the texts are compared with. */
const comparandOf = ({ text, reference }: Comparing, checked: CheckedTrace): Json =>
  reference === undefined ? text : (valuesOf(checked, reference, null)[0]?.value ?? null);

const comparandWords = ({ text, reference }: Comparing): string =>
  reference === undefined ? quoted(text ?? "") : referenceWords[reference];

/** Parses a text as JSON; undefined if it is not JSON. */
const parseJson = (value: Json, parse: (text: string) => Json = JSON.parse): Json | undefined => {
  if (typeof value !== "string") return value === null ? undefined : value;
  try {
    return parse(value);
  } catch {
    return undefined;
  }
};

/** Returns the JSON in a text; a text that is no JSON is a string of JSON. */
const jsonIn = (value: Json): Json => {
  const parsed = parseJson(value, parseLossless);
  return parsed === undefined ? value : parsed;
};

type Form = (text: string) => string;
const unchanged: Form = (text) => text;

/**
 * Returns functions that give the comparand as text beside a value, and a value as text beside the comparand. Telemetry that is JSON was read:
 * a text beside such a value is written as that is.
 */
const comparedTexts = (comparand: Json, form: Form) => {
  const plain = form(checkedText(comparand));
  const rewritten = typeof comparand === "string" ? form(checkedText(jsonIn(comparand))) : plain;
  const isRead = comparand !== null && typeof comparand !== "string";
  return {
    comparandBeside: (value: Json): string => (value === null || typeof value === "string" ? plain : rewritten),
    textOf: (value: Json): string => form(checkedText(isRead ? jsonIn(value) : value)),
  };
};

/** Returns the first value that contains the condition's text, for both `contains` and `lacks`. */
const firstValueContaining = (checked: CheckedTrace, condition: ConditionOf<"contains" | "lacks">) => {
  const { of, span, ignore_case: ignoreCase } = condition;
  const { textOf, comparandBeside } = comparedTexts(comparandOf(condition, checked), ignoreCase ? foldCase : unchanged);
  return valuesOf(checked, of, span).find(({ value }) => textOf(value).includes(comparandBeside(value)));
};

export const containsCondition = (condition: ConditionOf<"contains" | "lacks">): PreparedCondition => {
  const isNegated = condition.type === "lacks";
  return {
    clause: isNegated
      ? `${subject(condition, "each")} lacks ${comparandWords(condition)}`
      : `${subject(condition, "a")} contains ${comparandWords(condition)}`,
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
  evaluate: (checked) => {
    let longest = 0;
    for (const { value, span } of valuesOf(checked, condition.of, condition.span)) {
      const characters = lengthOf(checkedText(value));
      if (!isWithin(condition, characters)) return createFinding(false, `it has ${characters}`, [span]);
      longest = Math.max(longest, characters);
    }
    return createFinding(true, `it has ${longest}`);
  },
  instructions: 0,
});

export const jsonCondition = ({ schema: inputSchema, ...texts }: ConditionOf<"json">): PreparedCondition | string => {
  const schema = inputSchema === null ? null : prepareSchema(inputSchema);
  if (typeof schema === "string") return schema;
  const evaluate = (checked: CheckedTrace): Finding => {
    let remaining = maxSearchedCharacters;
    for (const { value, span } of valuesOf(checked, texts.of, texts.span)) {
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

type Equality = ConditionOf<"equals" | "equals_ignoring_case" | "json_equals">;

type IsEqual = (value: Json) => boolean;

const textEquality =
  (form: Form) =>
  (comparand: Json): IsEqual => {
    const { textOf, comparandBeside } = comparedTexts(comparand, form);
    return (value) => textOf(value) === comparandBeside(value);
  };

const jsonEquality = (comparand: Json): IsEqual => {
  const wanted = jsonIn(comparand);
  return (value) => hasEqualValue(jsonIn(value), wanted);
};

const equalities: Readonly<Record<Equality["type"], readonly [verb: string, equality: (comparand: Json) => IsEqual]>> =
  {
    equals: ["equals", textEquality(unchanged)],
    equals_ignoring_case: ["equals, but for case,", textEquality(foldCase)],
    json_equals: ["equals, as JSON,", jsonEquality],
  };

export const equalsCondition = (condition: Equality): PreparedCondition => {
  const [verb, equality] = equalities[condition.type];
  return {
    clause: `${subject(condition, "a")} ${verb} ${comparandWords(condition)}`,
    evaluate: (checked) => {
      const comparand = comparandOf(condition, checked);
      const values = valuesOf(checked, condition.of, condition.span);
      const isEqual = equality(comparand);
      const match = values.find(({ value }) => value !== null && isEqual(value));
      if (match !== undefined) return createFinding(true, "it does", [match.span]);
      const [first, ...others] = values.map(({ value }) => quoted(checkedText(value)));
      const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
      return createFinding(false, `it is ${first}${more}, not ${quoted(checkedText(comparand))}`);
    },
    instructions: 0,
  };
};

export const similarityCondition = (condition: ConditionOf<"similarity_at_least">): PreparedCondition => ({
  clause: `${subject(condition, "a")} is similar to ${comparandWords(condition)}, by at least ${condition.similarity}`,
  evaluate: (checked) => {
    const { textOf, comparandBeside } = comparedTexts(comparandOf(condition, checked), unchanged);
    let [remaining, highest] = [maxComparedCharacters, 0];
    const comparandLengths = new Map<string, number>();
    for (const { value, span } of valuesOf(checked, condition.of, condition.span)) {
      if (value === null) continue;
      const [text, comparand] = [textOf(value), comparandBeside(value)];
      // A long comparand is counted once, not beside each of thousands of spans.
      const comparandLength = comparandLengths.get(comparand) ?? lengthOf(comparand);
      comparandLengths.set(comparand, comparandLength);
      const lengths = [lengthOf(text), comparandLength] as const;
      const { similarity, work } = similarityOf(text, comparand, lengths, condition.similarity, remaining);
      if (similarity === null)
        return createFinding(null, "the texts are too long: edits are counted for 10,000 by 10,000 characters", [span]);
      if (similarity >= condition.similarity) return createFinding(true, `it is by ${similarity.toFixed(4)}`, [span]);
      remaining -= work;
      highest = Math.max(highest, similarity);
    }
    return createFinding(false, `it is by ${highest.toFixed(4)} at most`);
  },
  instructions: 0,
});
