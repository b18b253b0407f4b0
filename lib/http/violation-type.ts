import type { BaseIssue } from "valibot";
import type { ViolationType } from "../domain/violation-types.ts";

/** What the service's own words say, where the kind of check that found it says less. */
const byWords: readonly (readonly [beginning: string, type: ViolationType])[] = [
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

/** What a kind of check says; of texts and of lists the same one may be meant. */
const byCheck: Readonly<
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

/** The published type of a schema's issue. */
export const violationTypeOf = ({ type, message, input }: BaseIssue<unknown>): ViolationType => {
  const said = byWords.find(([beginning]) => message.startsWith(beginning))?.[1];
  if (said !== undefined) return said;
  const checked = byCheck[type] ?? "value_error";
  if (typeof checked === "string") return checked;
  return typeof input === "string" ? checked.text : checked.list;
};
