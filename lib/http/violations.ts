import type { BaseIssue } from "valibot";
import type { Violation } from "../domain/refusal.ts";

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
  return { loc, msg, type: issue.type, ...(input === undefined ? {} : { input }) };
};

const fallback = (issue: BaseIssue<unknown>): string =>
  issue.expected === "Object" ? "Input should be a valid dictionary" : `Input should be ${issue.expected}`;

/** The body of every 422: the list of `detail` for readers of one form, `errors` for readers of the other. */
export const violationsBody = (violations: readonly Violation[]) => ({
  detail: violations,
  errors: violations.map(({ loc, msg }) => ({
    field: (loc[0] === "body" ? loc.slice(1) : loc).join(" -> "),
    message: msg,
  })),
});
