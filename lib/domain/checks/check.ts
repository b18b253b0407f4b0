import type { JsonObject } from "../json.ts";

/** Values that a text can be compared with: those of the trace, and the expected output of the dataset's item that the trace ran. */
export const references = ["output", "input", "expected_output"] as const;
export type Reference = (typeof references)[number];

/** Texts that a condition can examine. Values other than strings are examined as JSON. */
export const textParts = [...references, "span_outputs", "span_inputs"] as const;
export type TextPart = (typeof textParts)[number];

/** Selection of texts of a trace; texts of spans can be limited to spans with one name. */
interface TextSelector {
  readonly of: TextPart;
  readonly span: string | null;
}

/** What the texts are compared with: a fixed text, or the reference; one of the two is set. */
interface Comparand {
  readonly text: string | null;
  readonly reference?: Reference;
}

/** Inclusive bounds of a number; at least one of them is set. */
export interface NumberRange {
  readonly min: number | null;
  readonly max: number | null;
}

/** The result of a condition whose input the trace lacks; without it the condition does not apply, or fails if it demands a call. */
export const absentResults = ["pass", "fail"] as const;

/** A condition that a trace meets or does not meet. */
export type Condition = { readonly absent?: (typeof absentResults)[number] } &
  /** Any selected text matches a regular expression. */
  (
    | (TextSelector & { readonly type: "matches"; readonly pattern: string; readonly ignore_case: boolean })
    /** Any selected text contains the comparand (`contains`), or no selected text does (`lacks`). */
    | (TextSelector & Comparand & { readonly type: "contains" | "lacks"; readonly ignore_case: boolean })
    /** Any selected text is the comparand; `json_equals` compares values of JSON: neither the order of keys nor the form of numbers matters. */
    | (TextSelector & Comparand & { readonly type: "equals" | "equals_ignoring_case" | "json_equals" })
    /** Any selected text has at least this similarity to the comparand: 1 less the edits by the characters of the longer text. */
    | (TextSelector & Comparand & { readonly type: "similarity_at_least"; readonly similarity: number })
    /** Bounds on the number of characters of each selected text. */
    | (TextSelector & NumberRange & { readonly type: "length" })
    /** Each selected text is JSON, and valid against a JSON Schema if one is set. */
    | (TextSelector & { readonly type: "json"; readonly schema: JsonObject | null })
    | (NumberRange & { readonly type: "latency_ms" | "cost_usd" | "tokens" })
    /** Bounds on the number of calls of a tool, or of all tools. */
    | (NumberRange & { readonly type: "tool_calls"; readonly tool: string | null })
    | { readonly type: "required_tool"; readonly tool: string }
    /** A call of `tool` precedes the first call of `before`, which is the input of the condition. */
    | { readonly type: "tool_before"; readonly tool: string; readonly before: string }
    /** Bounds on the share of failed spans, or of failed tool calls; the share is 0 if there are none. */
    | (NumberRange & { readonly type: "error_rate"; readonly over: "spans" | "tools" })
    /** Bounds on the number of tool calls that follow a failed call of the same tool. */
    | (NumberRange & { readonly type: "retries"; readonly tool: string | null })
    /** Minimum number and share of the retrieved documents that the output names. */
    | { readonly type: "documents_cited"; readonly min: number; readonly min_share: number }
  );

export type ConditionType = Condition["type"];

/** A tree of conditions, combined with and, or, not. */
export type Check =
  | { readonly all: readonly Check[] }
  | { readonly any: readonly Check[] }
  | { readonly not: Check }
  | Condition;

/** Maximum depth of a check and maximum number of its conditions. */
export const [maxCheckDepth, maxConditions] = [5, 30] as const;

/** Maximum characters of a text or a name in a condition. */
export const maxTextLength = 1000;

/** True if a condition is about the expected output. */
export const usesExpectedOutput = (condition: Condition): boolean =>
  ("of" in condition && condition.of === "expected_output") ||
  ("reference" in condition && condition.reference === "expected_output");

/** Returns the conditions of a check. */
export const conditionsOf = (check: Check): readonly Condition[] => {
  if ("not" in check) return conditionsOf(check.not);
  if ("all" in check) return check.all.flatMap(conditionsOf);
  return "any" in check ? check.any.flatMap(conditionsOf) : [check];
};
