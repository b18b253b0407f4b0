import type { Completion, CompletionRequest, Tokens } from "./completion.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";
import type { FailureCode } from "../verdict/verdict.ts";

/** A verdict is a few hundred tokens; Claude models think before they answer, and that counts as output too. */
const maxTokens = 16_384;

const text = (value: string): { type: "text"; text: string } => ({ type: "text", text: value });

/**
 * The body of a question in Anthropic's Messages API, without the model: the system message and the transcript carry the
 * cache mark, what differs between the questions of a target follows.
 *
 * The schema is part of the question rather than of the request. A tool with the schema and `output_config.format` are both
 * part of what the cache compares, so that no two metrics would share the transcript; current models (Claude 5.5) do not
 * take a forced tool either. The answer is checked against the schema in any case.
 */
export const claudeBody = ({ system, record, question, schema }: CompletionRequest) => ({
  max_tokens: maxTokens,
  system: [text(system)],
  messages: [
    {
      role: "user",
      content: [
        ...(record === "" ? [] : [{ ...text(record), cache_control: { type: "ephemeral" } }]),
        text(
          `${question}\n\nAnswer with one JSON object and nothing before or after it. Write its fields in the order of this JSON Schema, which it has to fit:\n${JSON.stringify(schema)}`,
        ),
      ],
    },
  ],
});

/** Anthropic counts what came from the cache and what went there apart from `input_tokens`. */
const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  const cached = countOf(counts["cache_read_input_tokens"]);
  const written = countOf(counts["cache_creation_input_tokens"]);
  const prompt = countOf(counts["input_tokens"]) + cached + written;
  return { prompt, completion: countOf(counts["output_tokens"]), cached, written };
};

const endings: Readonly<Record<string, readonly [FailureCode, string]>> = {
  refusal: ["judge_refused", "The judge refused to answer."],
  max_tokens: ["judge_truncated", "The judge's answer passed the limit of output tokens."],
  model_context_window_exceeded: ["judge_truncated", "The judge's answer passed the model's context window."],
};

/** What a message of Claude says: its text blocks, without what it thought. Nothing of its declared shape is believed. */
export const readClaudeMessage = (reply: unknown): Completion => {
  const { content, stop_reason: ending, usage } = fieldsOf(reply);
  const tokens = tokensOf(usage);
  const failed = (code: FailureCode, message: string): Completion => ({
    kind: "failure",
    code,
    message,
    retryAfter: null,
    tokens,
  });
  const failure = typeof ending === "string" && Object.hasOwn(endings, ending) ? endings[ending] : undefined;
  if (failure !== undefined) return failed(...failure);
  const texts = listOf(content)
    .map(fieldsOf)
    .flatMap((block) => (block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : []));
  if (texts.length === 0) return failed("judge_malformed", "The judge's reply has no answer in it.");
  return { kind: "answer", text: texts.join(""), tokens };
};
