import { fieldsOf, isAbsent, elementsOf, parseJson, type ReplyFields } from "./reply.ts";

/** An error that a provider reports, by its status or within a successful reply. Its names and message are matched against patterns. */
export interface ProviderRefusal {
  /** Status of the reply, or the one that the error in a successful reply, or that of the provider behind a gateway, stands for. */
  readonly status: number;
  /** Status of the reply that holds the error. */
  readonly replyStatus: number;
  /** True if the model had begun to answer, so that the call may be billed. */
  readonly hasBegun: boolean;
  /** Name of the refused parameter; empty if the reply names none. */
  readonly param: string;
  /** Error codes and types of the reply, such as Google's `error.status` (lower case) and OAuth's `error`. */
  readonly names: readonly unknown[];
  /** All texts of the error in lower case, codes and types included, each on its line. */
  readonly message: string;
  /** The provider's own sentence, to be shown: cut, and without what may be a key; empty without one. */
  readonly words: string;
}

const textOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

/** Most characters of a provider's sentence that are shown. */
const maxWords = 160;

/** Texts that may be keys, parts of them as in `sk-1a2b****`, names of accounts, or addresses. */
const keyPattern = /[\w*-]{16,}|\b(?:sk|pk|bearer)[-_ ][\w*-]+|\b(?:arn|https?):\S+|\d{12}/giu;

/** Returns a sentence of a provider in a form that may be shown. */
const shownWords = (text: string): string => {
  const words = text
    .replaceAll(keyPattern, "[...]")
    .replaceAll(/[\s"]+/gu, " ")
    .trim();
  return words.startsWith("<") || words.startsWith("{") ? "" : words.slice(0, maxWords).toWellFormed();
};

/** Returns the field names in FastAPI errors: `{"loc": ["body", "temperature"], "msg": "Extra inputs are ..."}`. */
const fieldNames = (detail: unknown): string =>
  elementsOf(detail)
    .flatMap((each) => elementsOf(fieldsOf(each)["loc"]))
    .filter((part) => part !== "body")
    .map(textOrEmpty)
    .join(".");

/** Statuses that the codes and types of errors stand for, the first match counts: snake, camel and Google's capital case. */
const statusesOfNames: readonly (readonly [RegExp, number])[] = [
  [/insufficient[_ ]?(?:quota|credit|balance|fund)|payment[_ ]?required|billing/u, 402],
  [/authentication|unauthenticated|unauthori[sz]ed|api[_ ]?key|credential/u, 401],
  [/permission|forbidden|access[_ ]?denied|moderation|flagged/u, 403],
  [/not[_ ]?found|no[_ ]?such|does not exist/u, 404],
  [/rate[_ ]?limit|throttl|too[_ ]?many[_ ]?requests|resource[_ ]?exhausted/u, 429],
  [/overloaded/u, 529],
  [/unavailable|not[_ ]?ready/u, 503],
  [/time[_ ]?out|timed[_ ]?out|deadline[_ ]?exceeded/u, 408],
];

/** Codes and types of refused requests. In the sentences of errors these words say little. */
const badRequestName =
  /invalid|bad[_ ]?request|validation|unsupported|content[_ ]?filter|context|too[_ ]?(?:large|long)/u;

/** Status of an error that names none. */
const unknownStatus = 500;

const isErrorStatus = (value: number): boolean => Number.isInteger(value) && value >= 400 && value <= 599;

/** Returns the status that an error names as a number. */
const statusNumber = (error: ReplyFields): number | undefined =>
  [error["code"], error["status"], error["status_code"], error["statusCode"]].map(Number).find(isErrorStatus);

/** Returns the HTTP status that an error stands for: its number, else that of its code or type, else of its sentence. */
const statusOfError = (error: ReplyFields, names: readonly unknown[], message: string): number => {
  const status = statusNumber(error);
  if (status !== undefined) return status;
  const nameText = names.map(textOrEmpty).join(" ").toLowerCase();
  const statusIn = (text: string) => statusesOfNames.find(([pattern]) => pattern.test(text))?.[1];
  return statusIn(nameText) ?? (badRequestName.test(nameText) ? 400 : (statusIn(message) ?? unknownStatus));
};

/** Parameter, names and texts of an error whose fields are under `error` or at the top level. @param outer fields of the reply. */
const textsOf = (
  outer: ReplyFields,
  error: ReplyFields,
): Pick<ProviderRefusal, "param" | "names" | "message" | "words"> => {
  const detail = error["detail"] ?? outer["detail"];
  const inner = fieldsOf(error["innererror"]);
  const { code, type, status: statusName, error_type: errorType = outer["error_type"], __type: awsType } = error;
  const texts = [error["message"], outer["error"], code, type, errorType, awsType, inner["code"], detail];
  const statusText = typeof statusName === "string" ? statusName.toLowerCase() : null;
  return {
    names: [code, type, statusText, outer["error"], errorType, awsType],
    param: textOrEmpty(error["param"]) || fieldNames(detail ?? fieldsOf(error["message"])["detail"]),
    message: texts
      .map((part) => (typeof part === "object" && part !== null ? JSON.stringify(part) : textOrEmpty(part)))
      .join("\n")
      .toLowerCase(),
    words: shownWords([error["message"], outer["error"], detail].map(textOrEmpty).find((text) => text !== "") ?? ""),
  };
};

/** Returns the error of the model's own provider, which OpenRouter passes on as text or object in `metadata.raw`. */
const upstreamOf = (error: ReplyFields) => {
  const metadata = fieldsOf(error["metadata"]);
  const { raw } = metadata;
  const fields = fieldsOf(typeof raw === "string" ? parseJson(raw) : raw);
  const upstream = fieldsOf(isAbsent(fields["error"]) ? fields : fields["error"]);
  const { names, param, message, words } = textsOf(fields, upstream);
  const isFlagged = !isAbsent(metadata["reasons"]) || !isAbsent(metadata["flagged_input"]);
  return {
    status: statusNumber(upstream),
    names,
    param,
    words: words || (typeof raw === "string" ? shownWords(raw) : ""),
    message: `${textOrEmpty(raw).toLowerCase()}\n${message}${isFlagged ? " input was flagged" : ""}`,
  };
};

/** True for an error that says that there is none: it is absent, or has only values such as "null", "None", 0 and "success". */
const isNoError = (error: unknown): boolean =>
  (typeof error === "object" && error !== null ? Object.values(error) : [error]).every(
    (part) => isAbsent(part) || part === 200 || /^(?:null|none|0|200|ok|success)$/iu.test(textOrEmpty(part)),
  );

/** True for a whole reply that is an error: `{"object": "error"}` of vLLM and SGLang, `{"type": "error"}`, or AWS's `__type`. */
const isError = ({ object, type, __type: awsType }: ReplyFields): boolean =>
  object === "error" || type === "error" || typeof awsType === "string";

/**
 * Reads the error in a reply of any provider and status: under `error`, in the first choice, or the whole reply. A field that is
 * null or empty is no error.
 *
 * @param body parsed JSON.
 * @returns null for a successful reply without an error.
 */
export const providerRefusalOf = (status: number, body: unknown): ProviderRefusal | null => {
  const outer = fieldsOf(Array.isArray(body) ? body[0] : body);
  const choice = fieldsOf(elementsOf(outer["choices"])[0]);
  const holder = [outer, choice].find((fields) => !isNoError(fields["error"]));
  const isWithinSuccess = status >= 200 && status <= 299;
  if (isWithinSuccess && holder === undefined && !isError(outer)) return null;
  const source = holder ?? outer;
  const error = fieldsOf(holder === undefined || typeof source["error"] === "string" ? source : source["error"]);
  const [texts, upstream] = [textsOf(source, error), upstreamOf(error)];
  const names = [...texts.names, ...upstream.names];
  const message = `${texts.message}\n${upstream.message}`;
  return {
    // The gateway's own status of what it passes on is often 502.
    status:
      (isWithinSuccess || status >= 500 ? upstream.status : undefined) ??
      (isWithinSuccess ? statusOfError(error, names, message) : status),
    replyStatus: status,
    hasBegun: isWithinSuccess && (holder === choice || !isAbsent(fieldsOf(choice["message"])["content"])),
    param: texts.param || upstream.param,
    names,
    message,
    words: upstream.words || texts.words,
  };
};
