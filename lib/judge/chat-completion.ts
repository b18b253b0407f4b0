import { noTokens, type Completion, type Tokens } from "./completion.ts";
import type { FailureCode } from "./verdict.ts";

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

const fields = (value: unknown): Fields => (isObject(value) ? value : {});

const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;

const tokensOf = (usage: Fields): Tokens => ({
  prompt: count(usage["prompt_tokens"]),
  completion: count(usage["completion_tokens"]),
  cached: count(fields(usage["prompt_tokens_details"])["cached_tokens"]),
});

/**
 * What a chat completion says. The reply is a stranger's: nothing of its declared shape is believed, and numbers that are
 * no counts are 0.
 */
export const readChatCompletion = (reply: unknown): Completion => {
  const choices = fields(reply)["choices"];
  const choice = fields(Array.isArray(choices) ? choices[0] : null);
  const message = fields(choice["message"]);
  const tokens = reply === null ? noTokens : tokensOf(fields(fields(reply)["usage"]));
  const failed = (code: FailureCode, text: string): Completion => ({
    kind: "failure",
    code,
    message: text,
    retryAfter: null,
    tokens,
  });
  if (choice["finish_reason"] === "content_filter") {
    return failed("judge_refused", "The judge's provider filtered the answer.");
  }
  if (typeof message["refusal"] === "string" && message["refusal"] !== "") {
    return failed("judge_refused", "The judge refused to answer.");
  }
  if (choice["finish_reason"] === "length") {
    return failed("judge_truncated", "The judge's answer passed the limit of output tokens.");
  }
  const content = message["content"];
  if (typeof content !== "string") return failed("judge_malformed", "The judge's reply has no answer in it.");
  return { kind: "answer", text: content, tokens };
};
