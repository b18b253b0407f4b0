import type { SSMClient } from "@aws-sdk/client-ssm";
import { CallError, fullWindowFailure, unsentFailure } from "./call-failure.ts";
import { strictDialect, withDialectLearning, withSchemaText } from "./dialect.ts";
import { withFlexTier } from "./flex-tier.ts";
import { firstFailure, postJson, replyOf, urlBelow, type Post, type PostResult } from "./transport.ts";
import {
  failureOf,
  pictureLabel,
  type Completion,
  type CompletionRequest,
  type Connector,
  type Dialect,
  type Embed,
  type Failure,
  type RequestSigner,
} from "./provider.ts";
import type { Tokens } from "../../prices/price.ts";
import { countOf, embeddingOf, fieldsOf, isAbsent, elementsOf, promptTokens } from "./reply.ts";

/** Initial request dialect of Bedrock's models. */
const converseDialect: Dialect = {
  ...strictDialect,
  format: "forced_tool",
  limit: "max_tokens",
  marksCache: true,
};

/** Model ids of makers that accept a cache breakpoint; others refuse it. */
const acceptsBreakpoint = /(?:^|[./])(?:anthropic\.|amazon\.nova)/u;

/**
 * True for Claude models; foundation models and inference profiles name the maker, such as `eu.anthropic.claude-...`. Claude's
 * question contains the schema as text: a tool precedes the messages, so that each metric's tool would invalidate the cached
 * transcript, and its newest models refuse a forced tool.
 */
const isClaude = (model: string): boolean => /(?:^|[./])anthropic\./u.test(model);

const toolConfig = (
  { schemaName, schema }: Pick<CompletionRequest, "schemaName" | "schema">,
  isForced: boolean,
): Readonly<Record<string, unknown>> => ({
  toolConfig: {
    tools: [{ toolSpec: { name: schemaName, description: "Gives the answer.", inputSchema: { json: schema } } }],
    ...(isForced && { toolChoice: { tool: { name: schemaName } } }),
  },
});

/** Builds the body of a question for Bedrock's Converse API. */
const converseBody = (request: CompletionRequest, dialect: Dialect): Readonly<Record<string, unknown>> => {
  const { model, system, record, outputTokens } = request;
  const format = isClaude(model) ? "text" : dialect.format;
  const withTool = format === "forced_tool" || format === "tool";
  const breakpoint = dialect.marksCache && acceptsBreakpoint.test(model) ? [{ cachePoint: { type: "default" } }] : [];
  const inferenceConfig: Readonly<Record<string, number>> = {
    maxTokens: Math.min(outputTokens, dialect.maxTokens),
    ...(dialect.takesTemperature && { temperature: 0 }),
  };
  return {
    system: [{ text: system }],
    messages: [
      {
        role: "user",
        content: [
          ...(request.pictures ?? []).flatMap(({ type, data }, index) => [
            { text: pictureLabel(index) },
            { image: { format: type.slice("image/".length), source: { bytes: data } } },
          ]),
          ...(record === "" ? [] : [{ text: record }, ...breakpoint]),
          { text: withTool ? request.question : withSchemaText(request) },
        ],
      },
    ],
    inferenceConfig,
    ...(withTool && toolConfig(request, format === "forced_tool")),
    ...(request.tier === "flex" && { serviceTier: { type: request.tier } }),
  };
};

/** Reads the token counts; Bedrock's `inputTokens` excludes tokens read from and written to the cache. */
const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  return {
    ...promptTokens(counts["inputTokens"], counts["cacheReadInputTokens"], counts["cacheWriteInputTokens"]),
    completion: countOf(counts["outputTokens"]),
  };
};

const unusableEndings: Readonly<Record<string, Failure>> = {
  content_filtered: failureOf("judge_refused", { message: "The judge's provider filtered the answer." }),
  guardrail_intervened: failureOf("judge_refused", { message: "A guardrail of the judge's provider stepped in." }),
  max_tokens: failureOf("judge_truncated"),
};

/** Reads the answer in a reply of Converse: the input of its tool call, or its text without reasoning. */
const completionOf = (fields: ReturnType<typeof fieldsOf>): Completion => {
  const { output, stopReason: ending, usage } = fields;
  const tokens = tokensOf(usage);
  const failure =
    typeof ending === "string" && Object.hasOwn(unusableEndings, ending) ? unusableEndings[ending] : undefined;
  if (ending === "model_context_window_exceeded") return fullWindowFailure(tokens);
  if (failure !== undefined) return { ...failure, tokens };
  const blocks = elementsOf(fieldsOf(fieldsOf(output)["message"])["content"]).map(fieldsOf);
  const inputs = blocks.flatMap(({ toolUse }) => (isAbsent(toolUse) ? [] : [fieldsOf(toolUse)["input"]]));
  if (inputs.length === 1) return { kind: "answer", text: JSON.stringify(inputs[0] ?? null), tokens };
  const texts = blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  if (texts.length === 0 || inputs.length > 1) {
    return failureOf("judge_malformed", { message: "The judge's reply has no answer in it.", tokens });
  }
  return { kind: "answer", text: texts.join(""), tokens };
};

/** Reads a reply of Converse and the service tier that it was billed at. */
const readConverse = (reply: unknown): Completion => {
  const fields = fieldsOf(reply);
  const completion = completionOf(fields);
  return fieldsOf(fields["serviceTier"])["type"] === "flex" ? { ...completion, isFlex: true } : completion;
};

/** Invokes an embedding model with a JSON body. */
type Invoke = (body: unknown, timeout: number) => Promise<PostResult>;

/** Embeds texts with a Cohere model: one call for all texts; the reply has no token count. */
const cohere =
  (invoke: Invoke): Embed =>
  async ({ texts, timeout }) => {
    const result = await invoke({ texts, input_type: "clustering", truncate: "END" }, timeout);
    if (result.kind === "failure") return result;
    const { embeddings } = fieldsOf(result.reply);
    const vectors = Array.isArray(embeddings) ? embeddings : fieldsOf(embeddings)["float"];
    return embeddingOf(elementsOf(vectors), texts.length, 0);
  };

/** Embeds texts with Amazon Titan: one call per text. */
const titan =
  (invoke: Invoke): Embed =>
  async ({ texts, timeout }) => {
    const replies = await Promise.all(texts.map((inputText) => invoke({ inputText }, timeout)));
    const failure = firstFailure(replies);
    if (failure !== undefined) return failure;
    const parts = replies.map((result) => fieldsOf(replyOf(result)));
    const tokens = parts.reduce((sum, part) => sum + countOf(part["inputTextTokenCount"]), 0);
    return embeddingOf(
      parts.map((part) => part["embedding"]),
      texts.length,
      tokens,
    );
  };

/** Returns the embedding calls of a Bedrock model: Cohere's protocol for its models, Titan's for all others. */
const bedrockEmbed = (model: string, invoke: Invoke): Embed =>
  /(?:^|[./])cohere\./u.test(model) ? cohere(invoke) : titan(invoke);

const service = "bedrock";
const json = { "content-type": "application/json" };

/**
 * Connects to Amazon Bedrock's Converse API; requests are signed with the role of the function. The optional base URL is the
 * endpoint of another Region, such as `https://bedrock-runtime.us-west-2.amazonaws.com`.
 */
export const bedrock: Connector = (
  { baseUrl },
  { now, sign, dialect: dialectSettings, region: ownRegion = "us-east-1" },
) => {
  const endpoint = baseUrl ?? `https://bedrock-runtime.${ownRegion}.amazonaws.com`;
  const region = /^bedrock-runtime\.([a-z0-9-]+)\./u.exec(new URL(endpoint).hostname)?.[1] ?? ownRegion;
  const post = (model: string, action: "converse" | "invoke", payload: unknown, timeout: number): Post => {
    const url = urlBelow(endpoint, `model/${encodeURIComponent(model)}/${action}`);
    const body = JSON.stringify(payload);
    const headers = () => sign({ url, headers: json, body }, service, region);
    return { url, body, headers, signal: AbortSignal.timeout(timeout), tokensOf };
  };
  const converse = withDialectLearning({ ...converseDialect, ...dialectSettings }, now, async (request, dialect) => {
    const result = await postJson(
      post(request.model, "converse", converseBody(request, dialect), request.timeout),
      now,
    );
    return result.kind === "reply" ? readConverse(result.reply) : result;
  });
  return {
    ...withFlexTier("bedrock", { ...converse, embed: null }, now),
    embed: (model) => bedrockEmbed(model, (body, timeout) => postJson(post(model, "invoke", body, timeout), now)),
  };
};

/**
 * Creates a signer for requests to AWS services for which this process has no SDK client (Bedrock), using the credentials and
 * the signer of the SSM client.
 */
export const requestSigner =
  ({ config }: Pick<SSMClient, "config">): RequestSigner =>
  async ({ url, headers, body }, service, region) => {
    try {
      const signer = await config.signer({
        name: "sigv4",
        signingName: service,
        signingRegion: region,
        properties: {},
      });
      const signedRequest = await signer.sign({
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port === "" ? {} : { port: Number(url.port) }),
        method: "POST",
        path: url.pathname,
        query: {},
        headers: { ...headers, host: url.host },
        body,
      });
      return signedRequest.headers;
    } catch {
      throw new CallError({ ...unsentFailure, message: "The credentials of this function could not be had." });
    }
  };
