import { noTokens, type Completion, type Tokens } from "./completion.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";
import type { FailureCode } from "../verdict/verdict.ts";

const tokensOf = (usage: unknown): Tokens => {
  const { prompt_tokens: prompt, completion_tokens: completion, prompt_tokens_details: details } = fieldsOf(usage);
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(details);
  return {
    prompt: countOf(prompt),
    completion: countOf(completion),
    cached: countOf(cached),
    written: countOf(written),
  };
};

/**
 * What a chat completion says. The reply is a stranger's: nothing of its declared shape is believed, and numbers that are
 * no counts are 0.
 */
export const readChatCompletion = (reply: unknown): Completion => {
  const choice = fieldsOf(listOf(fieldsOf(reply)["choices"])[0]);
  const message = fieldsOf(choice["message"]);
  const tokens = reply === null ? noTokens : tokensOf(fieldsOf(reply)["usage"]);
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
  // OpenRouter's way to say that the model's own provider failed after it had begun.
  if (choice["finish_reason"] === "error" || "error" in fieldsOf(reply)) {
    return failed("judge_unavailable", "The judge's provider does not work right now.");
  }
  const content = message["content"];
  if (typeof content !== "string") return failed("judge_malformed", "The judge's reply has no answer in it.");
  return { kind: "answer", text: content, tokens };
};
