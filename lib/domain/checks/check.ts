import type { JsonObject } from "../json.ts";

/** Texts of a trace that a condition can be about. Values that are no text are read as their JSON. */
export const textParts = ["output", "input", "span_outputs", "span_inputs"] as const;
export type TextPart = (typeof textParts)[number];

/** Which texts: those of spans may be of the spans of one name alone. */
interface OfText {
  readonly of: TextPart;
  readonly span: string | null;
}

/** What a number has to lie within, both included; one of them at least is given. */
interface Within {
  readonly min: number | null;
  readonly max: number | null;
}

/** One thing that is so of a trace or not. */
export type Condition =
  /** A pattern is in one of the texts. */
  | (OfText & { readonly type: "matches"; readonly pattern: string; readonly ignore_case: boolean })
  /** A text is in one of them, or in none. */
  | (OfText & { readonly type: "contains" | "lacks"; readonly text: string; readonly ignore_case: boolean })
  /** Characters of each of the texts. */
  | (OfText & Within & { readonly type: "length" })
  /** Each of the texts is JSON, of a schema where one is given. */
  | (OfText & { readonly type: "json"; readonly schema: JsonObject | null })
  | (Within & { readonly type: "latency_ms" | "cost_usd" | "tokens" })
  /** How often a tool is called, or all of them. */
  | (Within & { readonly type: "tool_calls"; readonly tool: string | null })
  | { readonly type: "required_tool"; readonly tool: string }
  /** Whatever calls of `before` there are, one of `tool` comes first. */
  | { readonly type: "tool_before"; readonly tool: string; readonly before: string }
  /** The share of spans, or of calls of tools, that failed: 0 where there are none. */
  | (Within & { readonly type: "error_rate"; readonly over: "spans" | "tools" })
  /** Calls of a tool whose call before failed. */
  | (Within & { readonly type: "retries"; readonly tool: string | null })
  /** How many of the retrieved documents the output names, and which share of them. */
  | { readonly type: "documents_cited"; readonly min: number; readonly min_share: number };

export type ConditionType = Condition["type"];

/** Conditions, combined. */
export type Check =
  | { readonly all: readonly Check[] }
  | { readonly any: readonly Check[] }
  | { readonly not: Check }
  | Condition;

/** How deep a check nests, and how many conditions it has. */
export const [deepestCheck, mostConditions] = [5, 30] as const;

/** Characters of a text or a name in a condition. */
export const longestText = 1000;
