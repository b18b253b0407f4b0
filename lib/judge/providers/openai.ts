import { randomUUID } from "node:crypto";
import type OpenAI from "openai";
import type { Tokens } from "../../prices/price.ts";
import { foreignReplyFailure, fullWindowFailure } from "./call-failure.ts";
import { strictDialect, withDialectLearning, withSchemaText } from "./dialect.ts";
import { withFlexTier } from "./flex-tier.ts";
import { openAiClient, type OpenAiServer } from "./openai-client.ts";
import {
  failureOf,
  pictureLabel,
  type AnswerFormat,
  type Completion,
  type CompletionRequest,
  type Connector,
  type Dialect,
  type Embedding,
  type ProviderClient,
} from "./provider.ts";
import { countOf, embeddingOf, fieldsOf, isAbsent, elementsOf, redactKey } from "./reply.ts";
import { withSharedWindow } from "./shared-window.ts";
import { minTokensLeft } from "./window.ts";

const formatFields = (
  { schemaName, schema }: Pick<CompletionRequest, "schemaName" | "schema">,
  format: AnswerFormat,
): Readonly<Record<string, unknown>> => {
  if (format === "json_object") return { response_format: { type: format } };
  return format === "json_schema"
    ? { response_format: { type: format, json_schema: { name: schemaName, strict: true, schema } } }
    : {};
};

/** Builds the body of a question. @param extraFields additional fields of a provider. */
const chatBody = (
  request: Omit<CompletionRequest, "timeout">,
  dialect: Dialect,
  extraFields: object,
): OpenAI.ChatCompletionCreateParamsNonStreaming => {
  const { model, system, record, pictures = [], outputTokens, effort, tier } = request;
  const question = dialect.format === "json_schema" ? request.question : withSchemaText(request);
  const text = record === "" ? question : `${record}\n\n${question}`;
  const content: OpenAI.ChatCompletionUserMessageParam["content"] =
    pictures.length === 0
      ? text
      : [
          { type: "text", text: record },
          ...pictures.flatMap(({ type, data }, index) => [
            { type: "text" as const, text: pictureLabel(index) },
            { type: "image_url" as const, image_url: { url: `data:${type};base64,${data}` } },
          ]),
          { type: "text", text: question },
        ];
  /** Efforts and fields that the client's types do not list. */
  const fields: object = {
    ...formatFields(request, dialect.format),
    [dialect.limit]: Math.min(outputTokens, dialect.maxTokens),
    ...(dialect.takesTemperature && { temperature: 0 }),
    ...(dialect.takesEffort && effort !== null && { reasoning_effort: effort }),
    ...(tier === "flex" && { service_tier: tier }),
    // Some servers stream unless they are told not to.
    stream: false,
    ...extraFields,
  };
  const messages = [
    { role: "system" as const, content: system },
    { role: "user" as const, content },
  ];
  return { messages, model, ...fields };
};

/** Stands for the transcript in the JSON of a body. Drawn anew by each process, so that no text before the transcript can have it. */
const recordMark = randomUUID();

/** Bytes of encoded transcripts that are kept, those of some fifty targets. */
const maxKeptBytes = 4 * 1024 * 1024;

/**
 * Creates the encoder of a question's body as JSON in UTF-8. The transcript, most of each body, is encoded once for all questions about
 * its target.
 */
export const bodyEncoder = () => {
  const kept = new Map<string, Buffer>();
  let keptBytes = 0;
  const encode = (record: string): Buffer => {
    const encoded = Buffer.from(JSON.stringify(record).slice(1, -1));
    if (keptBytes + encoded.length > maxKeptBytes) kept.clear();
    keptBytes = encoded.length + (kept.size === 0 ? 0 : keptBytes);
    kept.set(record, encoded);
    return encoded;
  };
  return (...[{ record, ...request }, dialect, extraFields]: Parameters<typeof chatBody>): Uint8Array => {
    const shown = record === "" ? "" : recordMark;
    const json = JSON.stringify(chatBody({ ...request, record: shown }, dialect, extraFields));
    const at = record === "" ? json.length : json.indexOf(recordMark);
    const after = json.slice(at + recordMark.length);
    return Buffer.concat([Buffer.from(json.slice(0, at)), kept.get(record) ?? encode(record), Buffer.from(after)]);
  };
};

const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(counts["prompt_tokens_details"]);
  const sentPrompt = countOf(counts["prompt_tokens"]);
  const sentCompletion = countOf(counts["completion_tokens"]);
  const total = countOf(counts["total_tokens"]);
  const prompt = sentPrompt > 0 || sentCompletion === 0 ? sentPrompt : Math.max(0, total - sentCompletion);
  return {
    prompt,
    // Some providers count reasoning tokens in the total only. The total alone says nothing about the halves.
    completion: prompt === 0 ? sentCompletion : Math.max(sentCompletion, total - prompt),
    cached: Math.min(prompt, countOf(cached)),
    written: Math.min(prompt, countOf(written)),
  };
};

/**
 * Returns the answer of a message: its text, its text parts, the arguments of its only tool call, or its reasoning if that holds JSON,
 * where servers put the whole text of some models; null without one.
 */
const replyText = (message: unknown): string | null => {
  const { content, tool_calls: calls, function_call: call, ...others } = fieldsOf(message);
  if (typeof content === "string" && content.trim() !== "") return content;
  const parts = elementsOf(content)
    .map(fieldsOf)
    .flatMap(({ type, text }) =>
      type !== "thinking" && type !== "reasoning" && typeof text === "string" ? [text] : [],
    );
  if (parts.length > 0) return parts.join("");
  const toolCalls = [...elementsOf(calls).map((each) => fieldsOf(each)["function"]), call].filter(
    (each) => !isAbsent(each),
  );
  const { arguments: toolArguments } = toolCalls.length === 1 ? fieldsOf(toolCalls[0]) : {};
  if (typeof toolArguments === "object" && toolArguments !== null) return JSON.stringify(toolArguments);
  if (typeof toolArguments === "string") return toolArguments;
  const thoughts = [others["reasoning_content"], others["reasoning"]].find(
    (text): text is string => typeof text === "string" && text.includes("{"),
  );
  return thoughts ?? (typeof content === "string" ? content : null);
};

/**
 * True if a cut answer has fewer tokens than it was allowed, and than an answer needs: its server had no room for it beside the prompt, of
 * which it refuses only one that fills its window alone. A smaller prompt is no count of one.
 */
const isWindowFull = ({ prompt, completion }: Tokens, outputTokens: number): boolean =>
  prompt >= minTokensLeft && completion < Math.min(outputTokens, minTokensLeft);

const completionOf = (fields: ReturnType<typeof fieldsOf>, outputTokens: number): Completion => {
  if (isAbsent(fields["choices"])) return { ...foreignReplyFailure, tokens: tokensOf(fields["usage"]) };
  const { finish_reason: ending, message } = fieldsOf(elementsOf(fields["choices"])[0]);
  const { refusal } = fieldsOf(message);
  const content = replyText(message);
  const tokens = tokensOf(fields["usage"]);
  if (ending === "content_filter" || ending === "safety" || ending === "SAFETY") {
    return failureOf("judge_refused", { message: "The judge's provider filtered the answer.", tokens });
  }
  if (typeof refusal === "string" && refusal !== "") return failureOf("judge_refused", { tokens });
  if (ending === "length")
    return isWindowFull(tokens, outputTokens) ? fullWindowFailure(tokens) : failureOf("judge_truncated", { tokens });
  // OpenRouter's form of a failure of the model's provider in the middle of an answer, here without a reason.
  if (ending === "error") return failureOf("judge_unavailable", { tokens, isDoubtful: true });
  if (content === null) {
    return failureOf("judge_malformed", { message: "The judge's reply has no answer in it.", tokens });
  }
  return { kind: "answer", text: content, tokens };
};

/**
 * Reads a chat completion. The reply's shape is not trusted; invalid token counts are read as 0.
 *
 * @param outputTokens limit of output tokens that was sent.
 */
const readChatCompletion = (reply: unknown, tier: string | null, outputTokens: number): Completion => {
  const fields = fieldsOf(reply);
  const completion = completionOf(fields, outputTokens);
  return [fields["service_tier"], tier].includes("flex") ? { ...completion, isFlex: true } : completion;
};

/** Reads an embeddings reply, in which `index` assigns a vector to its text. */
const readEmbeddings = (reply: unknown, texts: number): Embedding => {
  const { data, usage } = fieldsOf(reply);
  const items = elementsOf(data).map(fieldsOf);
  const vectors = items.map((item, index) => (items.find((each) => each["index"] === index) ?? item)["embedding"]);
  return embeddingOf(vectors, texts, countOf(fieldsOf(usage)["prompt_tokens"]));
};

/** Address, credentials and peculiarities of a server with OpenAI's protocol. */
interface Endpoint extends Omit<OpenAiServer, "tokensOf"> {
  /** Provider-specific fields in the body of every question. */
  readonly extraFields?: object;
  /** True if the provider has service tiers (flex and standard). */
  readonly hasTiers?: true;
  /** Initial request dialect where it differs from `strictDialect`, adapted after refusals. */
  readonly dialect?: Partial<Dialect> | undefined;
  /** Maps a model to the provider's name for it; the same name when absent. */
  readonly modelName?: (model: string) => string;
}

const sameName = (model: string): string => model;

/**
 * Connects to a provider with OpenAI's protocol: chat completions with JSON schemas, and embeddings.
 *
 * @param now current time in epoch milliseconds, for a `Retry-After` date.
 */
export const openAiProtocol = (
  { baseUrl, key, headers, extraFields = {}, hasTiers, dialect, modelName = sameName }: Endpoint,
  now: () => number,
): ProviderClient => {
  const [call, encodeBody] = [openAiClient({ baseUrl, key, headers, tokensOf }, now), bodyEncoder()];
  const firstDialect = { ...strictDialect, ...dialect };
  const { complete, sampling } = withDialectLearning(firstDialect, now, async (question, currentDialect) => {
    const { timeout, tier, ...request } = question;
    const chatRequest: Omit<CompletionRequest, "timeout"> = {
      ...request,
      model: modelName(request.model),
      ...(hasTiers && tier && { tier }),
    };
    const body = encodeBody(chatRequest, currentDialect, extraFields);
    const result = await call((client) => client.post("/chat/completions", { body, timeout }));
    if (result.kind === "failure") return result;
    const outputTokens = Math.min(request.outputTokens, currentDialect.maxTokens);
    return redactKey(key, readChatCompletion(result.reply, result.tier ?? null, outputTokens));
  });
  return {
    complete: withSharedWindow(complete, now),
    sampling,
    embed:
      (model) =>
      async ({ texts, timeout }) => {
        const body = { model: modelName(model), input: [...texts], encoding_format: "float" as const };
        const result = await call((client) => client.embeddings.create(body, { timeout }));
        return result.kind === "reply" ? readEmbeddings(result.reply, texts.length) : result;
      },
  };
};

const tieredProtocol =
  (provider: "openai" | "gemini", defaultUrl: string): Connector =>
  ({ key = "", baseUrl = defaultUrl }, { now, dialect }) =>
    withFlexTier(provider, openAiProtocol({ key, baseUrl, hasTiers: true, dialect }, now), now);

/** Connects to OpenAI, or to a server with the same protocol at the stored base URL. */
export const openai = tieredProtocol("openai", "https://api.openai.com/v1");

/** Connects to Gemini models over the OpenAI-compatible endpoint of the Gemini API. */
export const gemini = tieredProtocol("gemini", "https://generativelanguage.googleapis.com/v1beta/openai");

const parametersRequired = { provider: { require_parameters: true } };

/** Connects to OpenRouter, restricted to providers that support every parameter: others would silently drop the schema. */
export const openrouter: Connector = ({ key = "", baseUrl = "https://openrouter.ai/api/v1" }, { now, dialect }) =>
  openAiProtocol({ key, baseUrl, extraFields: parametersRequired, dialect }, now);

/**
 * Connects to any server with OpenAI's protocol; the key is optional. Requests begin with the older name of the output token
 * limit, `max_tokens`, because servers that do not know the newer one silently ignore it.
 */
export const custom: Connector = ({ key = null, baseUrl = "" }, { now, dialect }) =>
  openAiProtocol({ key, baseUrl, dialect: { limit: "max_tokens", ...dialect } }, now);

/**
 * Connects to the offline judge of the local runtime, which has fixed rules. It refuses questions without a rule. On AWS its
 * parameter does not exist, so it is never configured there.
 */
export const offline: Connector = ({ baseUrl = "" }, { now }) => {
  const { complete, ...client } = openAiProtocol({ key: null, baseUrl }, now);
  return {
    ...client,
    complete: async (request) => {
      const completion = await complete(request);
      if (completion.kind === "answer" || completion.code !== "judge_refused") return completion;
      const message = `offline/rules has no rule for the question of ${request.schemaName}: use a real model.`;
      return { ...completion, message };
    },
  };
};
