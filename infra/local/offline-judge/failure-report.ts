import { saysSomething } from "../../../lib/domain/says-something.ts";
import { isObject, type Json, type JsonObject } from "../../../lib/domain/json.ts";

/** Matches the first words of an error, but not of a sentence about errors. */
const errorText =
  /^\W*(?:traceback\b|timed out\b|failed to\b|(?:internal server error|bad gateway|service unavailable|gateway time-?out|connection (?:refused|reset))\b|error (?:calling|code|executing|fetching|occurred|when|while)\b|(?:(?:[\w.]*(?:error|exception))|fatal|failed|failure|panic|time-?out)\s*(?:$|[\d:;,.!?()[\]{}–—-])|time-?out after\b)/iu;

/** Matches an HTTP status of a failure at the beginning of a text, and those of the server's failures within a short text. */
const httpError =
  /^\W*(?:HTTP(?:\/\d(?:\.\d)?)?(?: status)?(?: code)?:? ?(?:error )?[45]\d\d\b|[45]\d\d(?= (?:bad|conflict|forbidden|gateway|gone|internal|method|not|payment|request|service|too|unauthorized)\b))/giu;
const serverError = /\b(?:HTTP(?:\/\d(?:\.\d)?)?(?: status)?|status)(?: code)?:? ?(?:error )?5\d\d\b/giu;

/** Matches what follows a status that a sentence is about: `HTTP 500 Internal Server Error means`. */
const explanation =
  /^(?:\s?\([^)]{0,40}\))?(?:\s(?:bad|codes?|conflict|errors?|forbidden|found|gateway|gone|internal|many|method|not|payload|requests?|required|responses?|server|service|status|time-?outs?|too|unauthori[sz]ed|unavailable)){0,5}\s(?:are|can|comes?|could|denotes?|happens?|indicates?|is|may|means?|might|occurs?|refers?|represents?|should|signals?|signif(?:y|ies)|stands?|tells?|will|would)\b/iu;
/** Matches what precedes a status that has not come: `if the server answers with HTTP 500`, `codes such as HTTP 503`. */
const condition = /\b(?:if|like|retry on|such as|unless|whenever)\b[^.!?]{0,80}$/iu;
/** Match what precedes and follows a status that comes under a condition: `returns HTTP 500 when`. */
const [habit, occasion] = [
  /\b(?:answers?|gives?|raises?|returns?|sends?|throws?)\s(?:an?\s)?$/iu,
  /^[^.!?]{0,80}\b(?:if|unless|when|whenever)\b/iu,
];

/** True if a text reports a status, and does not explain it. */
const reportsStatus = (text: string, status: RegExp): boolean =>
  text.matchAll(status).some(({ 0: match, index }) => {
    const [before, after] = [text.slice(0, index), text.slice(index + match.length)];
    return !explanation.test(after) && !condition.test(before) && !(habit.test(before) && occasion.test(after));
  });

/** Max characters of a text in which an HTTP status is the message, and not one of many words. */
const maxShortText = 300;

/** Max depth of results within results. */
const maxDepth = 8;

const successKeys = ["success", "succeeded", "ok"];
const errorKeys = ["error", "errors", "exception"];
const flagKeys = ["isError", "is_error", "failed"];
const statusKeys = ["status", "state", "status_code", "statusCode", "http_status", "httpStatus"];
const resultKeys = ["result", "output", "data", "response", "body", "content", "text", "message"];

const failedStatuses = new Set(["error", "failed", "failure", "exception", "timeout"]);

const isFailedStatus = (status: Json): boolean =>
  typeof status === "number"
    ? status >= 400 && status < 600
    : typeof status === "string" && (failedStatuses.has(status.toLowerCase()) || /^[45]\d\d\b/u.test(status));

/** True for the content of an error field that reports an error. */
const isError = (error: Json): boolean =>
  error !== 0 &&
  !isFalse(error) &&
  saysSomething(error) &&
  !(typeof error === "string" && /^(?:none|null|nil|no errors?)$/iu.test(error));

const isFalse = (value: Json): boolean => value === false || (typeof value === "string" && /^false$/iu.test(value));
const isTrue = (value: Json): boolean => value === true || (typeof value === "string" && /^true$/iu.test(value));

const jsonOf = (text: string): Json => {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
};

/** Reads the outer fields of a long object, which a transcript shows as lines. */
const fieldsOfLines = (text: string): JsonObject =>
  Object.fromEntries(
    [...text.matchAll(/^[ -]{0,2}(?<key>\w{1,40}): (?<value>.+)$/gmu)].map(({ groups }) => [
      groups?.["key"] ?? "",
      jsonOf(groups?.["value"] ?? ""),
    ]),
  );

const reports = (value: Json, depth: number): boolean => {
  if (depth > maxDepth) return false;
  if (typeof value === "string") {
    const text = value.trim();
    const inner = jsonOf(text);
    if (typeof inner === "object") return reports(inner, depth + 1);
    if (errorText.test(text) || reportsStatus(text, httpError)) return true;
    return text.length <= maxShortText && reportsStatus(text, serverError);
  }
  // Of a list only the parts of a message are the result itself; records that were looked up may well be failed ones.
  if (Array.isArray(value))
    return value.some((item: Json) => isObject(item) && item["type"] === "text" && reports(item, depth + 1));
  if (!isObject(value)) return false;
  const any = (keys: readonly string[], holds: (field: Json) => boolean): boolean =>
    keys.some((key) => value[key] !== undefined && holds(value[key]));
  return (
    any(successKeys, isFalse) ||
    any(flagKeys, isTrue) ||
    any(errorKeys, isError) ||
    any(statusKeys, isFailedStatus) ||
    any(resultKeys, (result) => reports(result, depth + 1))
  );
};

/**
 * True if a result in a transcript says that it failed, as many tools do without an error of their span: in its first words, by
 * an HTTP status, or in a field such as `success`, `ok` or `error`.
 */
export const reportsFailure = (text: string): boolean =>
  reports(text, 0) || (text.includes("\n") && reports(fieldsOfLines(text), 0));
