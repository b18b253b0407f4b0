import type { Check } from "./check.ts";
import { prepareCondition } from "./prepare-condition.ts";

/** Describes a check as a clause, such as `the output contains "sorry" and there are at most 100 tokens`. */
export const checkClause = (check: Check, isNested = false): string => {
  if ("not" in check) return `it is not so that ${checkClause(check.not, true)}`;
  if ("all" in check || "any" in check) {
    const parts = "all" in check ? check.all : check.any;
    const text = parts.map((part) => checkClause(part, parts.length > 1)).join("all" in check ? " and " : " or ");
    return isNested && parts.length > 1 ? `(${text})` : text;
  }
  const prepared = prepareCondition(check);
  return typeof prepared === "string" ? check.type : prepared.clause;
};
