import { reasons, type FailureCode } from "../../domain/scores/reason-codes.ts";
import type { Tokens } from "../../prices/price.ts";
import { failureOf, type Failure, type RefusalHints, type RefusedParameter } from "./provider.ts";
import { providerRefusalOf, type ProviderRefusal } from "./refusal.ts";
import { windowUseOf } from "./window.ts";

/** Headers of a reply by lower-case name. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** True if the flex tier refused the call, because it has no capacity or does not serve the model. */
const isTierRefusal = ({ status, names, param, message }: ProviderRefusal): boolean =>
  (status === 429 && names.includes("resource_unavailable")) ||
  (status === 400 && /service[_ ]?tier/u.test(param || message));

const noCreditPattern =
  /insufficient_quota|billing_hard_limit|billing_not_active|account_deactivated|credit balance is too low|billing_error|insufficient (?:credits?|balance|funds)|used all available credits|budget_exceeded|budget has been exceeded|doesn't have any credits|spending limit/u;

/** True if the account has no credit left; waiting does not help. */
const isOutOfCredit = ({ status, message }: ProviderRefusal): boolean =>
  status === 402 || noCreditPattern.test(message);

/** Says of a request that it is too long. */
const tooLongPattern =
  /context_length_exceeded|context_window_exceeded|contextwindowexceeded|exceed_context_size|context (?:size|length|window) (?:has been |was |is )?exceeded|exceeds? (?:the )?(?:\S{1,40} )?(?:\S{1,40} )?context (?:window|length|size|limit)|available context size|(?:prompt|input) is too long|longer than the maximum model length|maximum prompt length|too many (?:input )?tokens|input token count|exceed(?:ed|s)? (?:the )?(?:\S{1,40} )?token limit|token limit exceeded|prompt exceeds (?:the )?max|(?:larger|longer) than the (?:\S{1,40} ){1,3}length|max_num_tokens|exceeds? the (?:maximum|model's) (?:number of )?(?:input )?tokens/u;

/** Mentions a size, which in the refusal of a request means the same. In the error of a server it may be of something else. */
const sizePattern =
  /max_tokens_exceeded|context.?length|context window|reduce the length of|range of input length|input tokens exceed|string too long|request too large|inputs.{0,3} must have less than|max_new_tokens.{0,3} must be/u;

/** Names a limit of output tokens below 0: what the prompt leaves of the window. */
const noRoomPattern = /max_tokens.{0,30} \(?-\d/u;

/** Says that the window ran full, perhaps in the middle of an answer. */
const fullWindowPattern = /context size has been exceeded/u;

/** Refusals of a request that is larger than a limit per minute, which no wait lifts. */
const tooLargeForLimitPattern = /request too large|tokens must be reduced/u;

/** True if the prompt exceeds the model's context window, or a limit of the account. */
const isTooLong = ({ status, message }: ProviderRefusal): boolean =>
  status === 413 ||
  (([400, 422].includes(status) || status >= 500) && tooLongPattern.test(message)) ||
  ([400, 422].includes(status) &&
    (sizePattern.test(message) ||
      noRoomPattern.test(message) ||
      (message.includes("token") && windowUseOf(message) !== null))) ||
  (status === 429 && tooLargeForLimitPattern.test(message));

/** True if the prompt was refused before an answer began. */
const isRefusedPrompt = (refusal: ProviderRefusal): boolean =>
  isTooLong(refusal) && !fullWindowPattern.test(refusal.message);

const contentFilterPattern =
  /content_filter|responsibleaipolicyviolation|content management policy|content_policy|data_inspection_failed|moderation|was flagged|prohibited_content|guardrail_intervened/u;

const invalidKeyPattern = /api_key_invalid|api key not valid|api key expired/u;

/** True for a credential that is not valid, which Google answers with 400. */
const isInvalidKey = ({ status, message }: ProviderRefusal): boolean =>
  status === 401 || (status === 400 && invalidKeyPattern.test(message));

/** True if the provider's content filter refused the question. */
const isFiltered = ({ status, message }: ProviderRefusal): boolean =>
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
  /too (?:large|many|high|big)|at most|maximum allowed|exceeds?|less than or equal|must be (?:lower|less)|greater than|> \d|range (?:of|is)\b/u;

const isSubject = (name: string): name is RefusedParameter => Object.hasOwn(subjectPatterns, name);

/** Extracts hints from a refusal; null if waiting may help, or if its text mentions no known parameter. */
const hintsOf = (refusal: ProviderRefusal): RefusalHints | null => {
  const { status, param, message } = refusal;
  if (![400, 404, 413, 422].includes(status) && !isTooLong(refusal)) return null;
  const mentioned = Object.keys(subjectPatterns).filter(
    (name) => isSubject(name) && subjectPatterns[name].test(param || message),
  );
  // "Use 'max_completion_tokens' instead" names the replacement of the refused parameter.
  const replacements = Object.keys(subjectPatterns).filter((name) => message.includes(`'${name}' instead`));
  const windowUse = isTooLong(refusal) ? windowUseOf(message) : null;
  const subjects = new Set([...mentioned, ...replacements].filter(isSubject));
  const isTokenLimit = subjects.has("max_tokens") || subjects.has("max_completion_tokens");
  const hints = {
    subjects,
    requiresFewerTokens: isTokenLimit && tooHighPattern.test(message),
    isPromptTooLong: windowUse !== null || (isTooLong(refusal) && (!isTokenLimit || noRoomPattern.test(message))),
    windowUse,
  };
  return subjects.size > 0 || hints.isPromptTooLong ? hints : null;
};

/** Statuses of refusals that waiting lifts, by the code of their failure. */
const liftedStatuses: ReadonlyMap<number, FailureCode> = new Map([
  [408, "judge_unavailable"],
  [409, "judge_unavailable"],
  [425, "judge_unavailable"],
  [429, "judge_rate_limited"],
  [503, "judge_rate_limited"],
  [529, "judge_rate_limited"],
]);

/** Statuses beside 4xx that are final: not implemented, and a version of HTTP that is not supported. */
const finalServerStatuses: ReadonlySet<number> = new Set([501, 505]);

/**
 * True for a status of which nobody knows whether waiting helps, such as 500 for a prompt that crashes the server. 424: a model of
 * Bedrock failed, not the request.
 */
const isDoubtfulStatus = (status: number): boolean =>
  status === 424 || (status >= 500 && !liftedStatuses.has(status) && !finalServerStatuses.has(status));

/** Returns the failure code of a refused request: by its text where that says more than the status. */
const codeOfRefusal = (refusal: ProviderRefusal): FailureCode => {
  const { status } = refusal;
  if (isOutOfCredit(refusal)) return "judge_no_credit";
  if (isFiltered(refusal)) return "judge_refused";
  if (isTooLong(refusal)) return "judge_bad_request";
  if (isInvalidKey(refusal) || status === 403) return "judge_auth";
  if (isDoubtfulStatus(status)) return "judge_unavailable";
  return liftedStatuses.get(status) ?? "judge_bad_request";
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

/**
 * Failure of a call whose successful reply is no reply of the protocol, such as the page of a gateway whose server is away. The input
 * may be the cause too.
 */
export const foreignReplyFailure = failureOf("judge_unavailable", {
  message: "The judge's provider answers with something else than the reply of a model.",
  isDoubtful: true,
});

/** Failure of an answer that was cut where it filled the context window beside its prompt, so that only a shorter prompt leaves room for one. */
export const fullWindowFailure = (tokens: Tokens): Failure =>
  failureOf("judge_truncated", {
    message:
      "The judge's answer passed the model's context window. Raise the window, or lower the transcript's characters for this model.",
    tokens,
    hints: {
      subjects: new Set(),
      requiresFewerTokens: false,
      isPromptTooLong: true,
      windowUse:
        tokens.prompt === 0
          ? null
          : { window: tokens.prompt + tokens.completion, prompt: tokens.prompt, total: null, isAtLeast: false },
    },
  });

/**
 * True if a provider certainly bills nothing for a reply with this status: it refused the request, or was too busy to begin.
 * After any other error it, or a provider behind a gateway, may have answered and billed the call.
 */
const isUnbilledStatus = (status: number, headers: ReplyHeaders): boolean => {
  if (status === 503) return headers["retry-after"] !== undefined;
  return status === 529 || (status >= 400 && status < 500 && status !== 408);
};

/** The service's own name of a status, and that of the reply if it differs. */
const statusTextOf = ({ status, replyStatus }: ProviderRefusal): string =>
  status === replyStatus ? `HTTP ${status}` : `HTTP ${replyStatus} with error ${status}`;

/**
 * Builds the failure of a reply that has an error status or holds an error; null for any other reply. The message is the service's own,
 * plus the provider's error code and, where that tells people what to do, its sentence. Only a refusal that is not billed, or of a prompt that
 * is too long, has hints, because they lead to another call.
 *
 * @param body parsed JSON of the reply.
 * @param now epoch milliseconds, for a `Retry-After` date.
 */
export const failureOfReply = (status: number, headers: ReplyHeaders, body: unknown, now: number): Failure | null => {
  const refusal = providerRefusalOf(status, body);
  if (refusal === null) return null;
  const code = codeOfRefusal(refusal);
  const detail = refusal.names.map(safeCode).find((safe) => safe !== null);
  const statusText = statusTextOf(refusal);
  const isPromptTooLong = code === "judge_bad_request" && isTooLong(refusal);
  // What a run waits for, a size and a missing permission show what the provider says; other refusals may repeat a key or the question.
  const hasWords =
    reasons[code].retry === "later" || isPromptTooLong || (code === "judge_auth" && refusal.status === 403);
  const words = hasWords && refusal.words !== "" ? `: "${refusal.words}"` : "";
  const sentence = `${reasons[code].message}${isPromptTooLong ? ": it is too long" : ""}`;
  const isUnbilled = !refusal.hasBegun && (isUnbilledStatus(refusal.status, headers) || isRefusedPrompt(refusal));
  return failureOf(code, {
    message: `${sentence} (${detail === undefined ? statusText : `${statusText}, ${detail}`})${words}.`,
    retryAfter: retryAfter(headers, now),
    isUnbilled,
    hints: isUnbilled || isTooLong(refusal) ? hintsOf(refusal) : null,
    ...(isUnbilled && isTierRefusal(refusal) && { isTierRefusal: true }),
    ...(isPromptTooLong && !isRefusedPrompt(refusal) && { isWindowFull: true }),
    ...(code === "judge_unavailable" && isDoubtfulStatus(refusal.status) && { isDoubtful: true }),
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
