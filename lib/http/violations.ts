import type { BaseIssue } from "valibot";
import { maxViolations, type Violation } from "../domain/refusal.ts";
import type { ViolationType } from "../domain/violation-types.ts";

/** Part of a request that contains a value. */
export type RequestPart = "body" | "query" | "path" | "header";

/** Published violation types by the beginning of a message, more specific than the type of the failed check. */
const typesByMessage: readonly (readonly [beginning: string, type: ViolationType])[] = [
  ["Input should be a valid UUID", "uuid_parsing"],
  ["Input should be a valid datetime", "datetime_parsing"],
  ["Input should be a valid integer", "int_parsing"],
  ["Input should be a valid number", "float_type"],
  ["Input should be a valid boolean", "bool_parsing"],
  ["Input should be a valid string", "string_type"],
  ["Input should be a valid dictionary", "dict_type"],
  ["Input should be a valid list", "list_type"],
  ["Input should be a finite number", "finite_number"],
  ["Input should be greater than or equal to", "greater_than_equal"],
  ["Input should be less than or equal to", "less_than_equal"],
  ["Input should be nested", "json_too_deep"],
];

/** Published violation types by valibot's check; length checks have one type for texts and another for lists. */
const typesByCheck: Readonly<
  Record<string, ViolationType | { readonly text: ViolationType; readonly list: ViolationType }>
> = {
  string: "string_type",
  number: "float_type",
  boolean: "bool_type",
  object: "dict_type",
  record: "dict_type",
  strict_object: "dict_type",
  array: "list_type",
  picklist: "enum",
  literal: "enum",
  integer: "int_type",
  finite: "finite_number",
  regex: "string_pattern_mismatch",
  min_length: { text: "string_too_short", list: "too_short" },
  max_length: { text: "string_too_long", list: "too_long" },
  min_value: "greater_than_equal",
  max_value: "less_than_equal",
  gt_value: "greater_than",
  lt_value: "less_than",
};

/** Returns the published violation type of a valibot issue. */
const violationTypeOf = ({ type, message, input }: BaseIssue<unknown>): ViolationType => {
  const typeByMessage = typesByMessage.find(([beginning]) => message.startsWith(beginning))?.[1];
  if (typeByMessage !== undefined) return typeByMessage;
  const typeByCheck = typesByCheck[type] ?? "value_error";
  if (typeof typeByCheck === "string") return typeByCheck;
  return typeof input === "string" ? typeByCheck.text : typeByCheck.list;
};

const displayableInput = (input: unknown): Violation["input"] | undefined => {
  if (typeof input === "string") return input.length <= 200 ? input : undefined;
  return typeof input === "number" || typeof input === "boolean" || input === null ? input : undefined;
};

/** Returns advice for a time zone whose plus sign has become a space, which is what `+` means in a query; else an empty text. */
const spaceAdvice = ({ message, input }: BaseIssue<unknown>): string =>
  message.startsWith("Input should be a valid datetime") &&
  typeof input === "string" &&
  /:\d\d(?:\.\d+)? \d\d:?\d\d$/u.test(input)
    ? "; a + in a query is a space: write %2B"
    : "";

/** Converts a valibot issue to a violation as published in replies. */
export const violationOf = (source: RequestPart, issue: BaseIssue<unknown>): Violation => {
  const path = (issue.path ?? []).map((item) => (typeof item.key === "number" ? item.key : String(item.key)));
  // Query parameters are parsed as arrays; the index in the array is meaningless to the client.
  const loc = [source, ...(source === "query" ? path.slice(0, 1) : path)];
  if (issue.input === undefined && issue.received === "undefined") {
    return { loc, msg: "Field required", type: "missing" };
  }
  if (issue.expected === "never") return { loc, msg: issue.message, type: "extra_forbidden" };
  const input = displayableInput(issue.input);
  const message = issue.message.startsWith("Invalid type") ? fallback(issue) : issue.message;
  const msg = message + (source === "query" ? spaceAdvice(issue) : "");
  return { loc, msg, type: violationTypeOf(issue), ...(input === undefined ? {} : { input }) };
};

/** Converts valibot issues to violations, at most as many as a reply lists. */
export const violationsOf = (source: RequestPart, issues: readonly BaseIssue<unknown>[]): readonly Violation[] =>
  issues.slice(0, maxViolations).map((issue) => violationOf(source, issue));

const fallback = (issue: BaseIssue<unknown>): string =>
  issue.expected === "Object" ? "Input should be a valid dictionary" : `Input should be ${issue.expected}`;

/** Maximum lengths of a key and of a message in a reply; both may contain text from the client. */
const [maxKeyLength, maxMessageLength] = [200, 1_000];

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}...`;

const truncatedViolation = ({ loc, msg, type, input }: Violation) => {
  const places = loc.map((place) => (typeof place === "string" ? cut(place, maxKeyLength) : place));
  const truncated = { loc: places, msg: cut(msg, maxMessageLength), type };
  return input === undefined ? truncated : { ...truncated, input };
};

/**
 * Returns the body of a 422 reply: `detail` in FastAPI's format and `errors` with field and message. Number and length of
 * the entries are limited.
 */
export const violationsBody = (violations: readonly Violation[]) => {
  const detail = violations.slice(0, maxViolations).map(truncatedViolation);
  return {
    detail,
    errors: detail.map(({ loc, msg }) => ({
      field: (loc[0] === "body" ? loc.slice(1) : loc).join(" -> "),
      message: msg,
    })),
  };
};
