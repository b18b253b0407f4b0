import { ApiError, ConnectionError, TimeoutError } from "../client/errors.ts";

/**
 * Exit codes of all commands: `done`, or the gate passed; `failed`: the gate failed, or the doctor found a fault; `trouble`: the command
 * was not carried out; `cannotTell`: the data do not decide the gate.
 */
export const exitCodes = { done: 0, failed: 1, trouble: 2, cannotTell: 3 } as const;

/** Failure of a command with a sentence for the user. */
export class CommandError extends Error {}

/** Code or message of the innermost cause, such as `ECONNREFUSED`. */
export const rootCause = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return rootCause(error.cause);
  return "code" in error ? String(error.code) : error.message;
};

/** What the command line sets, by the beginning of the service's sentence that misses it. */
const advice: readonly (readonly [sentence: RegExp, advice: string])[] = [
  [/^Missing credentials/u, "Set ASSAY_API_KEY, or run `assay login`."],
  [/^Bearer token required/u, "It takes no key: set ASSAY_TOKEN."],
  [/^header -> X-Project-Name/u, "Set ASSAY_PROJECT to the project's name."],
  [/^header -> X-Project-ID/u, "Set ASSAY_PROJECT to the project's id, as ASSAY_TOKEN is set."],
];

/** Returns what went wrong in one sentence. @param url address of the service that was called; null if none is known. */
export const errorSentence = (error: unknown, url: string | null): string => {
  if (error instanceof ConnectionError) return `${url} could not be reached (${rootCause(error)}).`;
  if (error instanceof TimeoutError) return `${url} gave no answer: ${error.message}`;
  if (error instanceof ApiError) {
    const facts = [error.status, error.code, error.requestId && `request ${error.requestId}`]
      .filter(Boolean)
      .join(", ");
    const subject = error.status >= 500 ? "The service failed" : "The service refused the request";
    const hint = advice.find(([sentence]) => sentence.test(error.message))?.[1];
    return [`${subject}: ${error.message} (${facts})`, hint].filter(Boolean).join(" ");
  }
  return error instanceof Error ? error.message : String(error);
};
