import { foldCase } from "../../fold-case.ts";
import type { Json } from "../../json.ts";
import type { Condition, TextPart } from "../check.ts";
import { textOf, valuesOf, type CheckedTrace, type PlacedValue } from "../checked-trace.ts";
import { found, quoted, type Finding, type PreparedCondition } from "../finding.ts";
import { preparedSchema } from "../json-schema.ts";
import { mostMatched, patternOf } from "../pattern.ts";
import { boundsSaid, isWithin } from "./within.ts";

type Of<T extends Condition["type"]> = Extract<Condition, { readonly type: T }>;

/** Which texts a condition is about, as the subject of a clause; `some` of the spans' or `every`. */
const subject = (
  { of, span }: { readonly of: TextPart; readonly span: string | null },
  which: "a" | "each",
): string => {
  if (of === "output" || of === "input") return `the ${of}`;
  return `${which === "a" ? "an" : "each"} ${of === "span_outputs" ? "output" : "input"} of ${span === null ? "the spans" : `"${span}"`}`;
};

/** The first of some values of which something is so. */
const firstOf = (values: readonly PlacedValue[], isSo: (text: string) => boolean): PlacedValue | undefined =>
  values.find(({ value }) => isSo(textOf(value)));

export const matches = ({
  pattern: text,
  ignore_case: ignoreCase,
  ...texts
}: Of<"matches">): PreparedCondition | string => {
  const pattern = patternOf(text, ignoreCase);
  if (typeof pattern === "string") return pattern;
  const find = ({ trace }: CheckedTrace): Finding => {
    let left = mostMatched;
    for (const { value, span } of valuesOf(trace, texts.of, texts.span)) {
      const whole = textOf(value);
      const looked = whole.slice(0, left);
      // What stands at the cut is not the end of the text.
      if (looked.length < whole.length) {
        return found(null, `there are more than ${mostMatched} characters to look through`, [span]);
      }
      if (pattern.isIn(looked)) return found(true, `the pattern is found`, [span]);
      left -= looked.length;
    }
    return found(false, "the pattern is not found");
  };
  return { says: `${subject(texts, "a")} matches ${quoted(text)}`, find, size: pattern.size };
};

/** Where a text stands, as `contains` and `lacks` both ask. */
const holding = ({ trace }: CheckedTrace, { of, span, text, ignore_case: ignoreCase }: Of<"contains" | "lacks">) => {
  const sought = ignoreCase ? foldCase(text) : text;
  return firstOf(valuesOf(trace, of, span), (given) => (ignoreCase ? foldCase(given) : given).includes(sought));
};

export const contains = (condition: Of<"contains" | "lacks">): PreparedCondition => {
  const lacks = condition.type === "lacks";
  return {
    says: lacks
      ? `${subject(condition, "each")} lacks ${quoted(condition.text)}`
      : `${subject(condition, "a")} contains ${quoted(condition.text)}`,
    find: (checked) => {
      const holder = holding(checked, condition);
      return holder === undefined
        ? found(lacks, "the text is not there")
        : found(!lacks, "the text is there", [holder.span]);
    },
    size: 0,
  };
};

const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

export const length = (condition: Of<"length">): PreparedCondition => ({
  says: `${subject(condition, "each")} has ${boundsSaid(condition, "character", "characters")}`,
  find: ({ trace }) => {
    let longest = 0;
    for (const { value, span } of valuesOf(trace, condition.of, condition.span)) {
      const is = lengthOf(textOf(value));
      if (!isWithin(condition, is)) return found(false, `it has ${is}`, [span]);
      longest = Math.max(longest, is);
    }
    return found(true, `it has ${longest}`);
  },
  size: 0,
});

/** A text's JSON; undefined where it is none. */
const parsed = (value: Json): Json | undefined => {
  if (typeof value !== "string") return value === null ? undefined : value;
  try {
    const given: Json = JSON.parse(value);
    return given;
  } catch {
    return undefined;
  }
};

export const json = ({ schema: given, ...texts }: Of<"json">): PreparedCondition | string => {
  const schema = given === null ? null : preparedSchema(given);
  if (typeof schema === "string") return schema;
  const find = ({ trace }: CheckedTrace): Finding => {
    let left = mostMatched;
    for (const { value, span } of valuesOf(trace, texts.of, texts.span)) {
      const read = parsed(value);
      if (read === undefined) return found(false, "it is no JSON", [span]);
      if (schema === null) continue;
      left -= textOf(value).length;
      if (left < 0) return found(null, `there are more than ${mostMatched} characters to look through`, [span]);
      const flaw = schema.flawOf(read);
      if (flaw !== null) return found(false, flaw.slice(0, 300), [span]);
    }
    return found(true, "it is");
  };
  const says = `${subject(texts, "each")} is JSON${schema === null ? "" : " of the schema"}`;
  return { says, find, size: schema?.size ?? 0 };
};
