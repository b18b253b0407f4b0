import { strictDialect, type Dialect } from "./dialect.ts";
import { learning } from "./learning.ts";
import { postJson, urlBelow } from "./post-json.ts";
import { withSchemaText } from "./schema-text.ts";
import {
  failed,
  pictureLabel,
  type Completion,
  type CompletionRequest,
  type Connector,
  type Failure,
  type Tokens,
} from "./provider.ts";
import { redacted } from "./provider-reply.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";

const text = (value: string): { type: "text"; text: string } => ({ type: "text", text: value });

/**
 * The body of a question in Anthropic's Messages API, without the model: the system message and the transcript carry the
 * cache mark, what differs between the questions of a target follows.
 *
 * The schema is part of the question rather than of the request. A tool with the schema and `output_config.format` are both
 * part of what the cache compares, so that no two metrics would share the transcript; current models (Claude 5.5) do not
 * take a forced tool either. The answer is checked against the schema in any case.
 */
const claudeBody = (request: CompletionRequest, { temperature, effort, mostTokens }: Dialect) => ({
  max_tokens: Math.min(request.outputTokens, mostTokens),
  ...(temperature && { temperature: 0 }),
  ...(effort && request.effort !== null && { output_config: { effort: request.effort } }),
  system: [text(request.system)],
  messages: [
    {
      role: "user",
      content: [
        ...(request.pictures ?? []).flatMap(({ type, data }, index) => [
          text(pictureLabel(index)),
          { type: "image", source: { type: "base64", media_type: type, data } },
        ]),
        ...(request.record === "" ? [] : [{ ...text(request.record), cache_control: { type: "ephemeral" } }]),
        text(withSchemaText(request)),
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

const unusableEndings: Readonly<Record<string, Failure>> = {
  refusal: failed("judge_refused"),
  max_tokens: failed("judge_truncated"),
  model_context_window_exceeded: failed("judge_truncated", {
    message: "The judge's answer passed the model's context window.",
  }),
};

/** What a message of Claude says: its text blocks, without what it thought. Nothing of its declared shape is believed. */
const readClaudeMessage = (reply: unknown): Completion => {
  const { content, stop_reason: ending, usage } = fieldsOf(reply);
  const tokens = tokensOf(usage);
  const unusable =
    typeof ending === "string" && Object.hasOwn(unusableEndings, ending) ? unusableEndings[ending] : undefined;
  if (unusable !== undefined) return { ...unusable, tokens };
  const texts = listOf(content)
    .map(fieldsOf)
    .flatMap((block) => (block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : []));
  if (texts.length === 0) {
    return failed("judge_malformed", { message: "The judge's reply has no answer in it.", tokens });
  }
  return { kind: "answer", text: texts.join(""), tokens };
};

/** What Claude takes: its schema is told by the question. */
const claudeDialect: Dialect = { ...strictDialect, format: "text", limit: "max_tokens" };

/** Output tokens of a full answer: Claude models think before they answer, and think longer than others. */
const claudeFullAnswer = 16_384;

/** Claude models over Anthropic's own Messages API: its OpenAI-compatible side ignores schemas and has no prompt cache. */
export const anthropic: Connector = ({ key = "", baseUrl = "https://api.anthropic.com" }, { now }) => {
  const { complete, sampling } = learning(claudeDialect, now, async (request, dialect) => {
    const posted = await postJson(
      {
        url: urlBelow(baseUrl, "v1/messages"),
        body: JSON.stringify({ model: request.model, ...claudeBody(request, dialect) }),
        headers: async () => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
        timeout: request.timeout,
      },
      now,
    );
    return posted.kind === "reply" ? redacted(key, readClaudeMessage(posted.reply)) : posted;
  });
  return { complete, sampling, fullAnswer: claudeFullAnswer, embed: null };
};
