import { fullWindowFailure } from "./call-failure.ts";
import { strictDialect, withDialectLearning, withSchemaText } from "./dialect.ts";
import { postJson, urlBelow } from "./transport.ts";
import {
  failureOf,
  pictureLabel,
  type Completion,
  type CompletionRequest,
  type Connector,
  type Dialect,
  type Failure,
} from "./provider.ts";
import type { Tokens } from "../../prices/price.ts";
import { countOf, fieldsOf, elementsOf, promptTokens, redactKey } from "./reply.ts";

const text = (value: string): { type: "text"; text: string } => ({ type: "text", text: value });

/**
 * Builds the body of a question for Anthropic's Messages API, without the model. The cache breakpoint follows the transcript;
 * the text that differs between the questions of a target comes after it.
 *
 * The schema is part of the question's text: a tool or `output_config.format` would change the cached prefix, so that
 * metrics could not share the cached transcript, and current models (Claude 5.5) refuse a forced tool. The answer is checked in any case.
 */
const claudeBody = (
  request: CompletionRequest,
  { takesTemperature, takesEffort, maxTokens }: Dialect,
): Readonly<Record<string, unknown>> => ({
  max_tokens: Math.min(request.outputTokens, maxTokens),
  ...(takesTemperature && { temperature: 0 }),
  ...(takesEffort && request.effort !== null && { output_config: { effort: request.effort } }),
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

/** Reads the token counts; Anthropic's `input_tokens` excludes tokens read from and written to the cache. */
const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  return {
    ...promptTokens(counts["input_tokens"], counts["cache_read_input_tokens"], counts["cache_creation_input_tokens"]),
    completion: countOf(counts["output_tokens"]),
  };
};

const unusableEndings: Readonly<Record<string, Failure>> = {
  refusal: failureOf("judge_refused"),
  max_tokens: failureOf("judge_truncated"),
};

/** Reads the text blocks of a Claude message, without its reasoning. The reply's shape is not trusted. */
const readClaudeMessage = (reply: unknown): Completion => {
  const { content, stop_reason: ending, usage } = fieldsOf(reply);
  const tokens = tokensOf(usage);
  const failure =
    typeof ending === "string" && Object.hasOwn(unusableEndings, ending) ? unusableEndings[ending] : undefined;
  if (ending === "model_context_window_exceeded") return fullWindowFailure(tokens);
  if (failure !== undefined) return { ...failure, tokens };
  const texts = elementsOf(content)
    .map(fieldsOf)
    .flatMap((block) => (block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : []));
  if (texts.length === 0) {
    return failureOf("judge_malformed", { message: "The judge's reply has no answer in it.", tokens });
  }
  return { kind: "answer", text: texts.join(""), tokens };
};

/** Request dialect of Claude; the question's text contains the schema. */
const claudeDialect: Dialect = { ...strictDialect, format: "text", limit: "max_tokens" };

/** Output token limit of Claude models, which spend more tokens on reasoning than others. */
const claudeAnswerTokens = 16_384;

/** Connects to Claude over Anthropic's Messages API; the OpenAI-compatible API ignores schemas and has no prompt cache. */
export const anthropic: Connector = ({ key = "", baseUrl = "https://api.anthropic.com" }, { now }) => {
  const { complete, sampling } = withDialectLearning(claudeDialect, now, async (request, dialect) => {
    const result = await postJson(
      {
        url: urlBelow(baseUrl, "v1/messages"),
        body: JSON.stringify({ model: request.model, ...claudeBody(request, dialect) }),
        headers: async () => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
        signal: AbortSignal.timeout(request.timeout),
        tokensOf,
      },
      now,
    );
    return result.kind === "reply" ? redactKey(key, readClaudeMessage(result.reply)) : result;
  });
  return { complete, sampling, maxAnswerTokens: claudeAnswerTokens, embed: null };
};
