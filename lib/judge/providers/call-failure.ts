import { reasons, type FailureCode } from "../../domain/scores/reason-codes.ts";
import { failureOf, type Failure, type RefusalHints, type RefusedParameter } from "./provider.ts";
import { fieldsOf, listOf } from "./reply.ts";

/** Headers of a reply by lower-case name. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A reply with an error status. Its texts are matched against patterns and never shown. */
interface Refusal {
  readonly status: number;
  /** Name of the refused parameter; empty if the reply names none. */
  readonly param: string;
  /** Error codes and types of the reply, such as Google's `error.status` (lower case) and OAuth's `error`. */
  readonly names: readonly unknown[];
  /** All texts of the error in lower case, codes and types included. */
  readonly message: string;
}

const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns the field names in FastAPI errors: `{"loc": ["body", "temperature"], "msg": "Extra inputs are ..."}`. */
const fieldNames = (detail: unknown): string =>
  listOf(detail)
    .flatMap((each) => listOf(fieldsOf(each)["loc"]))
    .filter((part) => part !== "body")
    .map(textOrEmpty)
    .join(".");

/** Parses an error reply of any provider; its fields are under `error` or at the top level. @param body parsed JSON. */
const refusalOf = (status: number, body: unknown): Refusal => {
  const outer = fieldsOf(Array.isArray(body) ? body[0] : body);
  const error = fieldsOf(outer["error"] ?? outer);
  const detail = error["detail"] ?? outer["detail"];
  const inner = fieldsOf(error["innererror"]);
  const { metadata } = error;
  const texts = [error["message"], outer["error"], error["code"], error["type"], inner["code"], detail].map((part) =>
    typeof part === "object" && part !== null ? JSON.stringify(part) : textOrEmpty(part),
  );
  const { code, type, status: statusName } = error;
  return {
    status,
    names: [code, type, typeof statusName === "string" ? statusName.toLowerCase() : null, outer["error"]],
    param: textOrEmpty(error["param"]) || fieldNames(detail ?? fieldsOf(error["message"])["detail"]),
    message: [...texts, textOrEmpty(fieldsOf(metadata)["raw"])].join(" ").toLowerCase(),
  };
};

/** True if the flex tier refused the call, because it has no capacity or does not serve the model. */
const isTierRefusal = ({ status, names, param, message }: Refusal): boolean =>
  (status === 429 && names.includes("resource_unavailable")) ||
  (status === 400 && /service[_ ]?tier/u.test(param || message));

const noCreditPattern =
  /insufficient_quota|billing_hard_limit|billing_not_active|account_deactivated|credit balance is too low|billing_error|insufficient (?:credits?|balance|funds)|used all available credits|doesn't have any credits|spending limit/u;

/** True if the account has no credit left; waiting does not help. */
const isOutOfCredit = ({ status, message }: Refusal): boolean => status === 402 || noCreditPattern.test(message);

const tooLongPattern =
  /context_length_exceeded|max_tokens_exceeded|context.?length|context window|prompt is too long|input is too long|too many input tokens|input token count|exceeds? the (?:maximum|model's) (?:number of )?(?:input )?tokens|string too long|request too large/u;

/** True if the prompt exceeds the model's context window. */
const isTooLong = ({ status, message }: Refusal): boolean =>
  status === 413 || ([400, 422].includes(status) && tooLongPattern.test(message));

const contentFilterPattern =
  /content_filter|responsibleaipolicyviolation|content management policy|content_policy|data_inspection_failed|requires moderation|input was flagged|prohibited_content|guardrail_intervened/u;

/** True if the provider's content filter refused the question. */
const isFiltered = ({ status, message }: Refusal): boolean =>
  [400, 403, 422].includes(status) && contentFilterPattern.test(message);

/** Patterns of the parameters' names in refusals. */
const subjectPatterns = {
  max_tokens: /max_tokens(?!_exceeded)|max_?output_?tokens|maximum tokens|maxtokens/u,
  max_completion_tokens: /max_completion_tokens/u,
  format:
    /response_format|json_schema|json_object|structured.?output|guided|grammar|strict|schema|tool|requested parameters/u,
  temperature: /temperature/u,
  effort: /reasoning|effort|thinking/u,
  cache: /cache.?point|cache_control|prompt caching/u,
} as const satisfies Record<RefusedParameter, RegExp>;

const tooHighPattern =
  /too (?:large|many|high|big)|at most|maximum allowed|exceeds?|less than or equal|must be (?:lower|less)|greater than|> \d/u;

const isSubject = (name: string): name is RefusedParameter => Object.hasOwn(subjectPatterns, name);

/** Extracts hints from a refusal; null if its status is not 400, 404, 413 or 422, or its text mentions no known parameter. */
const hintsOf = (refusal: Refusal): RefusalHints | null => {
  const { status, param, message } = refusal;
  if (![400, 404, 413, 422].includes(status)) return null;
  const mentioned = Object.keys(subjectPatterns).filter(
    (name) => isSubject(name) && subjectPatterns[name].test(param || message),
  );
  // "Use 'max_completion_tokens' instead" names the replacement of the refused parameter.
  const replacements = Object.keys(subjectPatterns).filter((name) => message.includes(`'${name}' instead`));
  const subjects = new Set([...mentioned, ...replacements].filter(isSubject));
  const isTokenLimit = subjects.has("max_tokens") || subjects.has("max_completion_tokens");
  const hints = {
    subjects,
    requiresFewerTokens: isTokenLimit && tooHighPattern.test(message),
    isPromptTooLong: isTooLong(refusal) && !isTokenLimit,
  };
  return subjects.size > 0 || hints.isPromptTooLong ? hints : null;
};

const codeOf = (status: number): FailureCode => {
  if ([429, 503, 529].includes(status)) return "judge_rate_limited";
  // 424: a model of Bedrock failed, not the request.
  if (status >= 500 || [408, 409, 424, 425].includes(status)) return "judge_unavailable";
  return [401, 402, 403].includes(status) ? "judge_auth" : "judge_bad_request";
};

/** Returns an error code of lower-case words, else null: a key, text of a trace or markup never has this form. */
const safeCode = (value: unknown): string | null =>
  typeof value === "string" && /^[a-z]+(?:_[a-z]+){0,6}$/u.test(value) && value.length <= 48 ? value : null;

/** Maximum wait that a `Retry-After` header may request, milliseconds: a wrong header must not delay a run for years. */
const maxWait = 3_600_000;

const boundedWait = (milliseconds: number): number | null =>
  Number.isFinite(milliseconds) ? Math.min(Math.max(0, Math.ceil(milliseconds)), maxWait) : null;

/**
 * Reads the milliseconds to wait from a reply's headers (`retry-after-ms`, or `retry-after` in seconds or as a date), between
 * 0 and an hour; null without a usable header.
 */
export const retryAfter = (headers: ReplyHeaders, now: number): number | null => {
  const [milliseconds, secondsOrDate] = ["retry-after-ms", "retry-after"].map((name) => {
    const value = headers[name];
    return typeof value === "string" ? value.trim() : undefined;
  });
  if (milliseconds !== undefined && /^\d+(?:\.\d+)?$/u.test(milliseconds)) return boundedWait(Number(milliseconds));
  if (secondsOrDate === undefined || secondsOrDate === "") return null;
  if (/^\d+(?:\.\d+)?$/u.test(secondsOrDate)) return boundedWait(Number(secondsOrDate) * 1000);
  return /[a-z]/iu.test(secondsOrDate) ? boundedWait(Date.parse(secondsOrDate) - now) : null;
};

/** Failure of a call without a reply within its time-out. */
export const timeoutFailure = failureOf("judge_unavailable", {
  message: "The judge's provider did not answer in time.",
});

/** Failure of a call whose connection broke. */
export const unreachableFailure = failureOf("judge_unavailable", {
  message: "The judge's provider could not be reached.",
});

/** Failure of a call that was never sent, as when no connection could be made. */
export const unsentFailure: Failure = { ...unreachableFailure, isUnbilled: true };

/** Failure of a call whose successful reply is not JSON. */
export const notJsonFailure = failureOf("judge_malformed", { message: "The judge's reply is not JSON." });

/**
 * True if a provider certainly bills nothing for a reply with this status: it refused the request, or was too busy to begin.
 * After any other error it, or a provider behind a gateway, may have answered and billed the call.
 */
const isUnbilledStatus = (status: number, headers: ReplyHeaders): boolean => {
  if (status === 503) return headers["retry-after"] !== undefined;
  return status === 529 || (status >= 400 && status < 500 && status !== 408);
};

/** Returns the failure code of a refused request, from its error message or else its status. */
const codeOfRefusal = (refusal: ReturnType<typeof refusalOf>): FailureCode => {
  if (isOutOfCredit(refusal)) return "judge_no_credit";
  return isFiltered(refusal) ? "judge_refused" : codeOf(refusal.status);
};

/**
 * Builds the failure of a reply with an error status. The message is the service's own, plus the provider's error code.
 *
 * @param body parsed JSON of the reply.
 * @param now epoch milliseconds, for a `Retry-After` date.
 */
export const failureOfReply = (status: number, headers: ReplyHeaders, body: unknown, now: number): Failure => {
  const refusal = refusalOf(status, body);
  const code = codeOfRefusal(refusal);
  const detail = refusal.names.map(safeCode).find((safe) => safe !== null);
  const statusText = detail === undefined ? `HTTP ${status}` : `HTTP ${status}, ${detail}`;
  return failureOf(code, {
    message: `${reasons[code].message} (${statusText}).`,
    retryAfter: retryAfter(headers, now),
    isUnbilled: isUnbilledStatus(status, headers),
    hints: hintsOf(refusal),
    ...(isTierRefusal(refusal) && { isTierRefusal: true }),
  });
};

/** Thrown in the middle of a call, with the failure that it ends in. */
export class CallError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "CallError";
    this.failure = failure;
  }
}
