import type { BaseIssue } from "valibot";
import { mostViolations, type Violation } from "../domain/refusal.ts";
import { violationTypeOf } from "./violation-type.ts";

/** The part of a request a value came from. */
export type Source = "body" | "query" | "path" | "header";

const shown = (input: unknown): Violation["input"] | undefined => {
  if (typeof input === "string") return input.length <= 200 ? input : undefined;
  return typeof input === "number" || typeof input === "boolean" || input === null ? input : undefined;
};

/** A schema's issue as the wire has it. */
export const violationOf = (source: Source, issue: BaseIssue<unknown>): Violation => {
  const path = (issue.path ?? []).map((item) => (typeof item.key === "number" ? item.key : String(item.key)));
  // A query parameter arrives as a list of its values; the position in it means nothing to its sender.
  const loc = [source, ...(source === "query" ? path.slice(0, 1) : path)];
  if (issue.input === undefined && issue.received === "undefined") {
    return { loc, msg: "Field required", type: "missing" };
  }
  if (issue.expected === "never") return { loc, msg: "Extra inputs are not permitted", type: "extra_forbidden" };
  const input = shown(issue.input);
  const msg = issue.message.startsWith("Invalid type") ? fallback(issue) : issue.message;
  return { loc, msg, type: violationTypeOf(issue), ...(input === undefined ? {} : { input }) };
};

/** The issues of a schema as the wire has them, as many as a reply lists. */
export const violationsOf = (source: Source, issues: readonly BaseIssue<unknown>[]): readonly Violation[] =>
  issues.slice(0, mostViolations).map((issue) => violationOf(source, issue));

const fallback = (issue: BaseIssue<unknown>): string =>
  issue.expected === "Object" ? "Input should be a valid dictionary" : `Input should be ${issue.expected}`;

/** Characters of a key, and of a message, that a reply repeats: both may be a client's. */
const [longestKey, longestMessage] = [200, 1_000];

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}...`;

const shortened = ({ loc, msg, type, input }: Violation) => {
  const places = loc.map((place) => (typeof place === "string" ? cut(place, longestKey) : place));
  const told = { loc: places, msg: cut(msg, longestMessage), type };
  return input === undefined ? told : { ...told, input };
};

/**
 * The body of every 422: the list of `detail` for readers of one form, `errors` for readers of the other. It stays small,
 * whatever was sent.
 */
export const violationsBody = (violations: readonly Violation[]) => {
  const detail = violations.slice(0, mostViolations).map(shortened);
  return {
    detail,
    errors: detail.map(({ loc, msg }) => ({
      field: (loc[0] === "body" ? loc.slice(1) : loc).join(" -> "),
      message: msg,
    })),
  };
};
