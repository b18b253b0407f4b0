import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import { messagesOfParts, type MessagePart } from "./payloads/message-parts.ts";
import { messagesOf } from "./payloads/messages.ts";
import { aiSdkCall } from "./payloads/parts.ts";
import { isList, parseEmbeddedJson } from "./attributes/embedded-json.ts";
import {
  documentedAs,
  retaining,
  amountsAt,
  encodedAt,
  jsonAt,
  labelAt,
  mapReader,
  objectAt,
  textAt,
  attributesUnder,
  enumAt,
  nonNegativeNumber,
  withoutConsuming,
  type Reader,
} from "./attributes/reader.ts";
import { reportedCounts } from "../domain/traces/usage/call-tokens.ts";
import { usageUnder } from "./usage-readers.ts";
import { vectorText } from "./payloads/vectors.ts";
import { inNamespace, type Convention, type Readers } from "./convention.ts";
import { tagsAt } from "./tags.ts";

/** Prefixes of metadata set by the program; version 7 of the SDK calls it the runtime context. */
const [metadataPrefix, contextPrefix] = ["ai.telemetry.metadata.", "ai.settings.context."] as const;
const tags = `${metadataPrefix}tags`;
const metadataKeys = (...names: readonly string[]): readonly string[] =>
  [metadataPrefix, contextPrefix].flatMap((prefix) => names.map((name) => prefix + name));
const [sessions, users] = [metadataKeys("sessionId", "session_id"), metadataKeys("userId", "user_id")];
const texts = (names: readonly string[]): Readers<string> => names.map(labelAt);

const providerFields = /provider(?:Options|Metadata)/u;

const promptMessages = retaining(
  providerFields,
  mapReader(jsonAt("ai.prompt.messages"), (value): Json => messagesOf(value) ?? value),
);

const conversation = mapReader(jsonAt("ai.prompt"), (value): Json => {
  if (!isObject(value)) return value;
  const { messages, system, prompt } = value;
  const chatMessages =
    messagesOf(messages ?? null) ?? (prompt === undefined ? null : [{ role: "user", content: prompt }]);
  if (chatMessages === null) return value;
  return system === undefined ? chatMessages : [{ role: "system", content: system }, ...chatMessages];
});

const replyKeys = ["ai.response.reasoning", "ai.response.text", "ai.response.toolCalls"] as const;
const [responseReasoning, responseText, responseCalls] = [
  textAt(replyKeys[0]),
  textAt(replyKeys[1]),
  jsonAt(replyKeys[2]),
];

const callsIn = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) && value.every(isObject) ? value : [];

const reply: Reader<Json> = documentedAs(replyKeys, (span) => {
  const { attributes } = span;
  const text = (type: "text" | "reasoning", value: string | undefined): readonly MessagePart[] =>
    value === undefined ? [] : [{ type, text: value }];
  const parts = [
    ...text("reasoning", responseReasoning(span)?.value),
    ...text("text", responseText(span)?.value),
    ...callsIn(responseCalls(span)?.value).map((call): MessagePart => ({ type: "call", call: aiSdkCall(call) })),
  ];
  if (parts.length === 0) return null;
  const operation = attributes["ai.operationId"];
  const isAgent = operation === "ai.generateText" || operation === "ai.streamText";
  const areCallsAnswered = isAgent && attributes["ai.response.finishReason"] !== "tool-calls";
  const areCallsReadable = responseCalls(span) === null || callsIn(responseCalls(span)?.value).length > 0;
  const keys = replyKeys.filter(
    (name) => attributes[name] !== undefined && (areCallsReadable || name !== replyKeys[2]),
  );
  return { value: [...messagesOfParts("assistant", parts, {}, areCallsAnswered)], keys };
});

const settings = attributesUnder("ai.settings.", [contextPrefix]);
const promptTools = jsonAt("ai.prompt.tools");
const toolChoiceAt = jsonAt("ai.prompt.toolChoice");

const parameters: Reader<JsonObject> = documentedAs(
  { "": ["ai.settings.*", "ai.prompt.toolChoice"], tools: ["ai.prompt.tools"] },
  (span) => {
    const [callSettings, tools, toolChoice] = [settings(span), promptTools(span), toolChoiceAt(span)];
    if (callSettings === null && tools === null && toolChoice === null) return null;
    const definitions = isList(tools?.value) ? tools.value.map(parseEmbeddedJson) : tools?.value;
    return {
      value: {
        ...callSettings?.value,
        ...(definitions !== undefined && { tools: definitions }),
        ...(toolChoice !== null && { tool_choice: toolChoice.value }),
      },
      keys: [...(callSettings?.keys ?? []), ...(tools?.keys ?? []), ...(toolChoice?.keys ?? [])],
    };
  },
);

const vectors = (name: string): Reader<Json> =>
  documentedAs(
    [`(number and dimensions of the vectors in \`${name}\`)`],
    withoutConsuming(
      mapReader(encodedAt(name), (value) => {
        const lists = isList(value) && value.every(isList) ? value : [value];
        return lists.every(isList) ? vectorText(lists.map((list) => list.length)) : null;
      }),
    ),
  );

const providerMetadata = ["(in `ai.response.providerMetadata`)"];

/** Reads the service tier in the metadata that a provider returns: OpenAI's and Google's `serviceTier`, Anthropic's `usage.service_tier`. */
const providerTier: Reader<JsonObject> = documentedAs(
  { service_tier: providerMetadata },
  withoutConsuming(
    mapReader(objectAt("ai.response.providerMetadata"), (providers) => {
      const tier = Object.values(providers)
        .filter(isObject)
        .flatMap(({ serviceTier, usage }) => [serviceTier, isObject(usage) ? usage["service_tier"] : null])
        .find((each) => typeof each === "string");
      return tier === undefined ? null : { service_tier: tier };
    }),
  ),
);

/** Reads the parts of a usage that only the metadata of a provider has: `anthropic.cacheCreationInputTokens`, `openai.cachedPromptTokens`. */
const providerUsage: Reader<JsonObject> = documentedAs(
  { cache_read_tokens: providerMetadata, cache_write_tokens: providerMetadata, reasoning_tokens: providerMetadata },
  withoutConsuming(
    mapReader(objectAt("ai.response.providerMetadata"), (providers) => {
      const counts = Object.values(providers).filter(isObject).map(reportedCounts);
      const parts = counts.flatMap(Object.entries<Json>).filter(([name]) => /^(?:cache|reasoning)/u.test(name));
      return parts.length === 0 ? null : Object.fromEntries(parts);
    }),
  ),
);

const functionName = withoutConsuming(textAt("ai.telemetry.functionId"));

/** Attributes of Vercel's AI SDK up to version 6, and optionally of version 7: `ai.prompt.messages`, `ai.toolCall.args`. */
export const vercelAi: Convention = {
  applies: inNamespace("ai"),
  kind: [
    enumAt("ai.operationId", {
      "ai.generateText": "AGENT",
      "ai.streamText": "AGENT",
      "ai.generateObject": "CHAIN",
      "ai.streamObject": "CHAIN",
      "ai.generateText.doGenerate": "LLM",
      "ai.streamText.doStream": "LLM",
      "ai.generateObject.doGenerate": "LLM",
      "ai.streamObject.doStream": "LLM",
      "ai.toolCall": "TOOL",
      "ai.embed": "CHAIN",
      "ai.embedMany": "CHAIN",
      "ai.embed.doEmbed": "EMBEDDING",
      "ai.embedMany.doEmbed": "EMBEDDING",
      "ai.rerank": "CHAIN",
      "ai.rerank.doRerank": "RETRIEVER",
    }),
  ],
  model: [textAt("ai.response.model"), textAt("ai.model.id")],
  input: [
    promptMessages,
    retaining(providerFields, conversation),
    encodedAt("ai.toolCall.args"),
    encodedAt("ai.toolCall.input"),
    encodedAt("ai.value"),
    encodedAt("ai.values"),
    encodedAt("ai.documents"),
  ],
  output: [
    retaining(providerFields, reply),
    jsonAt("ai.response.object"),
    encodedAt("ai.toolCall.result"),
    encodedAt("ai.toolCall.output"),
    encodedAt("ai.ranking"),
    vectors("ai.embedding"),
    vectors("ai.embeddings"),
  ],
  parameters: [parameters],
  usage: [
    usageUnder("ai.usage."),
    // Embeddings.
    amountsAt({ prompt_tokens: ["ai.usage.tokens"] }),
    providerUsage,
    providerTier,
  ],
  toolName: [textAt("ai.toolCall.name")],
  agentName: [functionName],
  chainName: [functionName],
  session: texts(sessions),
  user: texts(users),
  tags: [tagsAt(tags)],
  firstToken: [mapReader(jsonAt("ai.response.msToFirstChunk"), nonNegativeNumber)],
  traceMetadata: [
    attributesUnder(metadataPrefix, [...sessions, ...users, tags]),
    attributesUnder(contextPrefix, [...sessions, ...users]),
  ],
  bookkeeping: [
    "operation.name",
    "resource.name",
    "ai.model.provider",
    "ai.operationId",
    "ai.request.headers.",
    "ai.response.providerMetadata",
    "ai.schema",
    "ai.telemetry.functionId",
    "ai.response.id",
    "ai.response.timestamp",
    "ai.response.msToFinish",
    "ai.response.avgOutputTokensPerSecond",
    "ai.toolCall.id",
    "ai.usage.",
    "ai.embedding",
    "ai.embeddings",
  ],
};
