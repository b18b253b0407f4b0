import type { PostBody } from "./bounded-post.ts";
import type { AnswerFormat, Dialect } from "./dialect.ts";
import { withSchemaText } from "./schema-text.ts";
import { failed, pictureLabel, type Completion, type CompletionRequest, type Tokens } from "./provider.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";

/** Transcripts whose JSON is remembered: more than the targets one worker has in hand. */
const remembered = 32;

const formatFields = (
  { schemaName, schema }: Pick<CompletionRequest, "schemaName" | "schema">,
  format: AnswerFormat,
): Readonly<Record<string, unknown>> => {
  if (format === "json_object") return { response_format: { type: format } };
  return format === "json_schema"
    ? { response_format: { type: format, json_schema: { name: schemaName, strict: true, schema } } }
    : {};
};

/** The body of a chat completion that puts a question. */
export type WriteChatBody = (request: Omit<CompletionRequest, "timeout">, dialect: Dialect) => PostBody;

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

  return (request, dialect) => {
    const { model, system, record, outputTokens, effort, tier } = request;
    const fields = {
      model,
      ...formatFields(request, dialect.format),
      [dialect.limit]: Math.min(outputTokens, dialect.mostTokens),
      ...(dialect.temperature && { temperature: 0 }),
      ...(dialect.effort && effort !== null && { reasoning_effort: effort }),
      ...(tier === "flex" && { service_tier: tier }),
      ...extra,
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
    const rest = JSON.stringify(record === "" ? question : `\n\n${question}`).slice(1);
    return [
      Buffer.from(`{"messages":[${instructions},{"role":"user","content":"`),
      quoted(record),
      Buffer.from(`${rest}}],${JSON.stringify(fields).slice(1)}`),
    ];
  };
};

const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(counts["prompt_tokens_details"]);
  const prompt = countOf(counts["prompt_tokens"]);
  return {
    prompt,
    // Some count what a model thinks in the total alone.
    completion: Math.max(countOf(counts["completion_tokens"]), countOf(counts["total_tokens"]) - prompt),
    cached: countOf(cached),
    written: countOf(written),
  };
};

/** The answer of a message: its text, its parts of text, or the arguments of its only call of a tool. */
const textOf = (message: unknown): string | null => {
  const { content, tool_calls: calls, function_call: call } = fieldsOf(message);
  if (typeof content === "string" && content.trim() !== "") return content;
  const parts = listOf(content)
    .map(fieldsOf)
    .flatMap(({ type, text }) =>
      type !== "thinking" && type !== "reasoning" && typeof text === "string" ? [text] : [],
    );
  if (parts.length > 0) return parts.join("");
  const called = [...listOf(calls).map((each) => fieldsOf(each)["function"]), call].filter(
    (each) => each !== undefined && each !== null,
  );
  const { arguments: given } = called.length === 1 ? fieldsOf(called[0]) : {};
  if (typeof given === "object" && given !== null) return JSON.stringify(given);
  if (typeof given === "string") return given;
  return typeof content === "string" ? content : null;
};

const completionOf = (fields: ReturnType<typeof fieldsOf>): Completion => {
  const { finish_reason: ending, message } = fieldsOf(listOf(fields["choices"])[0]);
  const { refusal } = fieldsOf(message);
  const content = textOf(message);
  const tokens = tokensOf(fields["usage"]);
  if (ending === "content_filter" || ending === "safety" || ending === "SAFETY") {
    return failed("judge_refused", { message: "The judge's provider filtered the answer.", tokens });
  }
  if (typeof refusal === "string" && refusal !== "") return failed("judge_refused", { tokens });
  if (ending === "length") return failed("judge_truncated", { tokens });
  // OpenRouter's way to say that the model's own provider failed after it had begun.
  if (ending === "error" || "error" in fields) return failed("judge_unavailable", { tokens });
  if (content === null) {
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
