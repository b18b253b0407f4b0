import { fieldsOf, listOf } from "./reply-fields.ts";

/** A reply with an error's status. Its words are looked at and never shown. */
interface Refusal {
  readonly status: number;
  /** The parameter that it is about; empty where it names none. */
  readonly param: string;
  /** What it calls itself: its code, its type, Google's `error.status` in small letters, `error` itself in OAuth. */
  readonly names: readonly unknown[];
  /** In small letters; codes and types included. */
  readonly message: string;
}

const words = (value: unknown): string => (typeof value === "string" ? value : "");

/** What servers made with FastAPI say of each field: `{"loc": ["body", "temperature"], "msg": "Extra inputs are ..."}`. */
const fieldNames = (detail: unknown): string =>
  listOf(detail)
    .flatMap((each) => listOf(fieldsOf(each)["loc"]))
    .filter((part) => part !== "body")
    .map(words)
    .join(".");

/** A reply with an error's status as providers write it: under `error`, or without. @param body the reply's JSON. */
export const refusalOf = (status: number, body: unknown): Refusal => {
  const outer = fieldsOf(Array.isArray(body) ? body[0] : body);
  const error = fieldsOf(outer["error"] ?? outer);
  const detail = error["detail"] ?? outer["detail"];
  const inner = fieldsOf(error["innererror"]);
  const { metadata } = error;
  const said = [error["message"], outer["error"], error["code"], error["type"], inner["code"], detail].map((part) =>
    typeof part === "object" && part !== null ? JSON.stringify(part) : words(part),
  );
  const { code, type, status: named } = error;
  return {
    status,
    names: [code, type, typeof named === "string" ? named.toLowerCase() : null, outer["error"]],
    param: words(error["param"]) || fieldNames(detail ?? fieldsOf(error["message"])["detail"]),
    message: [...said, words(fieldsOf(metadata)["raw"])].join(" ").toLowerCase(),
  };
};

/** Whether a refusal is of the flex tier alone: it has no room, or does not serve the model. */
export const isOfTier = ({ status, names, param }: Refusal): boolean =>
  (status === 429 && names.includes("resource_unavailable")) || (status === 400 && param === "service_tier");

const noCredit =
  /insufficient_quota|billing_hard_limit|billing_not_active|account_deactivated|credit balance is too low|billing_error|insufficient (?:credits?|balance|funds)|used all available credits|doesn't have any credits|spending limit/u;

/** Whether an account has nothing left to spend: waiting does not help. */
export const isOutOfCredit = ({ status, message }: Refusal): boolean => status === 402 || noCredit.test(message);

const tooLong =
  /context_length_exceeded|context.?length|context window|prompt is too long|input is too long|too many input tokens|input token count|exceeds? the (?:maximum|model's) (?:number of )?(?:input )?tokens|string too long|request too large/u;

/** Whether a prompt is longer than the model takes. */
const isTooLong = ({ status, message }: Refusal): boolean =>
  status === 413 || ([400, 422].includes(status) && tooLong.test(message));

const filtered =
  /content_filter|responsibleaipolicyviolation|content management policy|content_policy|data_inspection_failed|requires moderation|input was flagged|prohibited_content|guardrail_intervened/u;

/** Whether a provider's filter did not let the question through. */
export const isFiltered = ({ status, message }: Refusal): boolean =>
  [400, 403, 422].includes(status) && filtered.test(message);

/** What a refusal can be about. */
const subjects = {
  max_tokens: /max_tokens|max_?output_?tokens|maximum tokens|maxtokens/u,
  max_completion_tokens: /max_completion_tokens/u,
  format:
    /response_format|json_schema|json_object|structured.?output|guided|grammar|strict|schema|tool|requested parameters/u,
  temperature: /temperature/u,
  effort: /reasoning|effort|thinking/u,
  cache: /cache.?point|cache_control|prompt caching/u,
} as const;
type Subject = keyof typeof subjects;

/** What can be learned of a refusal, without a word of it. */
export interface Lesson {
  /** What it is about, as far as that can be seen. */
  readonly about: ReadonlySet<Subject>;
  /** Whether it wants fewer output tokens than were asked for. */
  readonly fewer: boolean;
  /** Whether the prompt is longer than the model takes. */
  readonly tooLong: boolean;
}

const tooMany =
  /too (?:large|many|high|big)|at most|maximum allowed|exceeds?|less than or equal|must be (?:lower|less)|greater than|> \d/u;

const isSubject = (name: string): name is Subject => Object.hasOwn(subjects, name);

/** What a refusal teaches; null where it is no refusal of what was asked, or says nothing that is known here. */
export const lessonOf = (refusal: Refusal): Lesson | null => {
  const { status, param, message } = refusal;
  if (![400, 404, 413, 422].includes(status)) return null;
  const named = Object.keys(subjects).filter((name) => isSubject(name) && subjects[name].test(param || message));
  // What is to be used in its place is named as well.
  const about = new Set([...named, ...Object.keys(subjects).filter((name) => message.includes(`'${name}' instead`))]);
  const known = new Set([...about].filter(isSubject));
  const limits = known.has("max_tokens") || known.has("max_completion_tokens");
  const lesson = { about: known, fewer: limits && tooMany.test(message), tooLong: isTooLong(refusal) && !limits };
  return known.size > 0 || lesson.tooLong ? lesson : null;
};
