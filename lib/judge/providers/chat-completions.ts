import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import { failed, type Completion, type CompletionRequest, type Tokens } from "./provider.ts";
import { countOf, fieldsOf, listOf } from "./provider-reply.ts";

/** Transcripts whose JSON is remembered: more than the targets one worker has in hand. */
const remembered = 32;

/** The body of a chat completion that puts a question, as JSON in UTF-8. */
export type WriteChatBody = (request: Omit<CompletionRequest, "timeout">) => Uint8Array;

/**
 * Writes bodies of OpenAI's chat completions. A transcript stands in every question about its target: it is made JSON and
 * UTF-8 once; once for each question, that was a seventh of the CPU of the calls and a quarter of a worker's memory.
 *
 * @param extra fields of a provider's own.
 */
export const chatBodyWriter = (extra: Readonly<Record<string, unknown>>): WriteChatBody => {
  const inJson = new Map<string, Uint8Array>();

  /** What stands between the quotes of a JSON string. */
  const quoted = (record: string): Uint8Array => {
    const known = inJson.get(record);
    if (known !== undefined) return known;
    const bytes = Buffer.from(JSON.stringify(record).slice(1, -1));
    const [oldest] = inJson.keys();
    if (oldest !== undefined && inJson.size === remembered) inJson.delete(oldest);
    inJson.set(record, bytes);
    return bytes;
  };

  return ({ model, system, record, question, schemaName, schema, outputTokens, tier }) => {
    const fields = {
      model,
      response_format: { type: "json_schema", json_schema: { name: schemaName, strict: true, schema } },
      max_completion_tokens: outputTokens,
      ...(tier === "flex" && { service_tier: tier }),
      ...extra,
    } satisfies Omit<ChatCompletionCreateParamsNonStreaming, "messages">;
    const instructions = JSON.stringify({ role: "system", content: system });
    const rest = JSON.stringify(record === "" ? question : `\n\n${question}`).slice(1);
    return Buffer.concat([
      Buffer.from(`{"messages":[${instructions},{"role":"user","content":"`),
      quoted(record),
      Buffer.from(`${rest}}],${JSON.stringify(fields).slice(1)}`),
    ]);
  };
};

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

const completionOf = (fields: ReturnType<typeof fieldsOf>): Completion => {
  const { finish_reason: ending, message } = fieldsOf(listOf(fields["choices"])[0]);
  const { content, refusal } = fieldsOf(message);
  const tokens = tokensOf(fields["usage"]);
  if (ending === "content_filter") {
    return failed("judge_refused", { message: "The judge's provider filtered the answer.", tokens });
  }
  if (typeof refusal === "string" && refusal !== "") return failed("judge_refused", { tokens });
  if (ending === "length") return failed("judge_truncated", { tokens });
  // OpenRouter's way to say that the model's own provider failed after it had begun.
  if (ending === "error" || "error" in fields) return failed("judge_unavailable", { tokens });
  if (typeof content !== "string") {
    return failed("judge_malformed", { message: "The judge's reply has no answer in it.", tokens });
  }
  return { kind: "answer", text: content, tokens };
};

/**
 * What a chat completion says. The reply is a stranger's: nothing of its declared shape is believed, and numbers that are
 * no counts are 0.
 */
export const readChatCompletion = (reply: unknown): Completion => {
  const fields = fieldsOf(reply);
  const completion = completionOf(fields);
  return fields["service_tier"] === "flex" ? { ...completion, flex: true } : completion;
};
