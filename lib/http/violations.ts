import type { BaseIssue } from "valibot";
import { issueOf } from "../contract/schema/issue.ts";
import { maxViolations, type Violation } from "../domain/refusal.ts";

/** Part of a request that contains a value. */
export type RequestPart = "body" | "query" | "path" | "header";

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
  const { message, type } = issueOf(issue);
  const input = type === "missing" || type === "extra_forbidden" ? undefined : displayableInput(issue.input);
  const msg = message + (source === "query" ? spaceAdvice(issue) : "");
  return { loc, msg, type, ...(input === undefined ? {} : { input }) };
};

/** Converts valibot issues to violations, at most as many as a reply lists. */
export const violationsOf = (source: RequestPart, issues: readonly BaseIssue<unknown>[]): readonly Violation[] =>
  issues.slice(0, maxViolations).map((issue) => violationOf(source, issue));

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
