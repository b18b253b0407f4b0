import type { BaseIssue } from "valibot";
import type { ViolationType } from "../../domain/violation-types.ts";

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

/** Returns a message without the words of the schema library. */
const messageOf = ({ message, expected }: BaseIssue<unknown>): string =>
  !message.startsWith("Invalid type")
    ? message
    : `Input should be ${expected === "Object" ? "a valid dictionary" : expected === "string" ? "a valid string" : expected}`;

/** Returns the field, the message and the published type of a schema's issue, for replies of all protocols. */
export const issueOf = (
  issue: BaseIssue<unknown>,
): { readonly field: string; readonly message: string; readonly type: ViolationType } => {
  const field = issue.path?.map(({ key }) => String(key)).join(".") ?? "";
  if (issue.input === undefined && issue.received === "undefined")
    return { field, message: "Field required", type: "missing" };
  if (issue.expected === "never") return { field, message: issue.message, type: "extra_forbidden" };
  return { field, message: messageOf(issue), type: violationTypeOf(issue) };
};
