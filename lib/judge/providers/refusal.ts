import { fieldsOf, listOf } from "./reply-fields.ts";

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
export const refusalOf = (status: number, body: unknown): Refusal => {
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
export const isTierRefusal = ({ status, names, param }: Refusal): boolean =>
  (status === 429 && names.includes("resource_unavailable")) || (status === 400 && param === "service_tier");

const noCreditPattern =
  /insufficient_quota|billing_hard_limit|billing_not_active|account_deactivated|credit balance is too low|billing_error|insufficient (?:credits?|balance|funds)|used all available credits|doesn't have any credits|spending limit/u;

/** True if the account has no credit left; waiting does not help. */
export const isOutOfCredit = ({ status, message }: Refusal): boolean => status === 402 || noCreditPattern.test(message);

const tooLongPattern =
  /context_length_exceeded|context.?length|context window|prompt is too long|input is too long|too many input tokens|input token count|exceeds? the (?:maximum|model's) (?:number of )?(?:input )?tokens|string too long|request too large/u;

/** True if the prompt exceeds the model's context window. */
const isTooLong = ({ status, message }: Refusal): boolean =>
  status === 413 || ([400, 422].includes(status) && tooLongPattern.test(message));

const contentFilterPattern =
  /content_filter|responsibleaipolicyviolation|content management policy|content_policy|data_inspection_failed|requires moderation|input was flagged|prohibited_content|guardrail_intervened/u;

/** True if the provider's content filter refused the question. */
export const isFiltered = ({ status, message }: Refusal): boolean =>
  [400, 403, 422].includes(status) && contentFilterPattern.test(message);

/** Request parameters that a refusal can be about, with patterns of their names. */
const subjectPatterns = {
  max_tokens: /max_tokens|max_?output_?tokens|maximum tokens|maxtokens/u,
  max_completion_tokens: /max_completion_tokens/u,
  format:
    /response_format|json_schema|json_object|structured.?output|guided|grammar|strict|schema|tool|requested parameters/u,
  temperature: /temperature/u,
  effort: /reasoning|effort|thinking/u,
  cache: /cache.?point|cache_control|prompt caching/u,
} as const;
type Subject = keyof typeof subjectPatterns;

/** Hints from a refusal on how to adapt the request; contains no text of the reply. */
export interface RefusalHints {
  /** Parameters that the refusal mentions. */
  readonly subjects: ReadonlySet<Subject>;
  /** True if the output token limit was too high. */
  readonly requiresFewerTokens: boolean;
  /** True if the prompt exceeds the model's context window. */
  readonly isPromptTooLong: boolean;
}

const tooHighPattern =
  /too (?:large|many|high|big)|at most|maximum allowed|exceeds?|less than or equal|must be (?:lower|less)|greater than|> \d/u;

const isSubject = (name: string): name is Subject => Object.hasOwn(subjectPatterns, name);

/** Extracts hints from a refusal; null if its status is not 400, 404, 413 or 422, or its text mentions no known parameter. */
export const hintsOf = (refusal: Refusal): RefusalHints | null => {
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
