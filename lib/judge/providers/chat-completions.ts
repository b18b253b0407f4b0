import type { PostBody } from "./bounded-post.ts";
import type { AnswerFormat, Dialect } from "./dialect.ts";
import { withSchemaText } from "./schema-text.ts";
import { failureOf, pictureLabel, type Completion, type CompletionRequest } from "./provider.ts";
import type { Tokens } from "../../prices/tokens.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";

/** Maximum transcripts whose JSON is cached, more than a worker judges at a time. */
const maxCachedTranscripts = 32;

const formatFields = (
  { schemaName, schema }: Pick<CompletionRequest, "schemaName" | "schema">,
  format: AnswerFormat,
): Readonly<Record<string, unknown>> => {
  if (format === "json_object") return { response_format: { type: format } };
  return format === "json_schema"
    ? { response_format: { type: format, json_schema: { name: schemaName, strict: true, schema } } }
    : {};
};

/** Writes the body of a chat completion for a question. */
export type WriteChatBody = (request: Omit<CompletionRequest, "timeout">, dialect: Dialect) => PostBody;

/**
 * Creates a writer of OpenAI chat completion bodies. It encodes each transcript as JSON and UTF-8 once for all questions about
 * its target: encoding it per question took a seventh of the CPU time of calls and a quarter of a worker's memory.
 *
 * @param extraFields additional fields of a provider.
 */
export const chatBodyWriter = (extraFields: Readonly<Record<string, unknown>>): WriteChatBody => {
  const encodedTranscripts = new Map<string, Uint8Array>();

  /** Returns the content of a JSON string, without its quotes. */
  const encodedTranscript = (record: string): Uint8Array => {
    const cachedBytes = encodedTranscripts.get(record);
    if (cachedBytes !== undefined) return cachedBytes;
    const bytes = Buffer.from(JSON.stringify(record).slice(1, -1));
    const [oldest] = encodedTranscripts.keys();
    if (oldest !== undefined && encodedTranscripts.size === maxCachedTranscripts) encodedTranscripts.delete(oldest);
    encodedTranscripts.set(record, bytes);
    return bytes;
  };

  return (request, dialect) => {
    const { model, system, record, outputTokens, effort, tier } = request;
    const fields = {
      model,
      ...formatFields(request, dialect.format),
      [dialect.limit]: Math.min(outputTokens, dialect.maxTokens),
      ...(dialect.takesTemperature && { temperature: 0 }),
      ...(dialect.takesEffort && effort !== null && { reasoning_effort: effort }),
      ...(tier === "flex" && { service_tier: tier }),
      ...extraFields,
    };
    const question = dialect.format === "json_schema" ? request.question : withSchemaText(request);
    const { pictures = [] } = request;
    if (pictures.length > 0) {
      const content = [
        { type: "text", text: record },
        ...pictures.flatMap(({ type, data }, index) => [
          { type: "text", text: pictureLabel(index) },
          { type: "image_url", image_url: { url: `data:${type};base64,${data}` } },
        ]),
        { type: "text", text: question },
      ];
      const messages = [
        { role: "system", content: system },
        { role: "user", content },
      ];
      return JSON.stringify({ messages, ...fields });
    }
    const instructions = JSON.stringify({ role: "system", content: system });
    const ending = JSON.stringify(record === "" ? question : `\n\n${question}`).slice(1);
    return [
      Buffer.from(`{"messages":[${instructions},{"role":"user","content":"`),
      encodedTranscript(record),
      Buffer.from(`${ending}}],${JSON.stringify(fields).slice(1)}`),
    ];
  };
};

const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(counts["prompt_tokens_details"]);
  const prompt = countOf(counts["prompt_tokens"]);
  return {
    prompt,
    // Some providers count reasoning tokens in the total only.
    completion: Math.max(countOf(counts["completion_tokens"]), countOf(counts["total_tokens"]) - prompt),
    cached: countOf(cached),
    written: countOf(written),
  };
};

/** Returns the answer of a message: its text, its text parts, or the arguments of its only tool call; null without one. */
const textOf = (message: unknown): string | null => {
  const { content, tool_calls: calls, function_call: call } = fieldsOf(message);
  if (typeof content === "string" && content.trim() !== "") return content;
  const parts = listOf(content)
    .map(fieldsOf)
    .flatMap(({ type, text }) =>
      type !== "thinking" && type !== "reasoning" && typeof text === "string" ? [text] : [],
    );
  if (parts.length > 0) return parts.join("");
  const toolCalls = [...listOf(calls).map((each) => fieldsOf(each)["function"]), call].filter(
    (each) => each !== undefined && each !== null,
  );
  const { arguments: toolArguments } = toolCalls.length === 1 ? fieldsOf(toolCalls[0]) : {};
  if (typeof toolArguments === "object" && toolArguments !== null) return JSON.stringify(toolArguments);
  if (typeof toolArguments === "string") return toolArguments;
  return typeof content === "string" ? content : null;
};

const completionOf = (fields: ReturnType<typeof fieldsOf>): Completion => {
  const { finish_reason: ending, message } = fieldsOf(listOf(fields["choices"])[0]);
  const { refusal } = fieldsOf(message);
  const content = textOf(message);
  const tokens = tokensOf(fields["usage"]);
  if (ending === "content_filter" || ending === "safety" || ending === "SAFETY") {
    return failureOf("judge_refused", { message: "The judge's provider filtered the answer.", tokens });
  }
  if (typeof refusal === "string" && refusal !== "") return failureOf("judge_refused", { tokens });
  if (ending === "length") return failureOf("judge_truncated", { tokens });
  // OpenRouter's form of a failure of the model's provider in the middle of an answer.
  if (ending === "error" || "error" in fields) return failureOf("judge_unavailable", { tokens });
  if (content === null) {
    return failureOf("judge_malformed", { message: "The judge's reply has no answer in it.", tokens });
  }
  return { kind: "answer", text: content, tokens };
};

/**
 * Reads a chat completion. The reply's shape is not trusted; invalid token counts are read as 0.
 */
export const readChatCompletion = (reply: unknown): Completion => {
  const fields = fieldsOf(reply);
  const completion = completionOf(fields);
  return fields["service_tier"] === "flex" ? { ...completion, isFlex: true } : completion;
};
