import type { Json, JsonObject } from "../../domain/json.ts";
import { aiSdkCall, messagesOfAiSdk } from "../ai-sdk-messages.ts";
import { messagesOfParts, type MessagePart } from "../message-parts.ts";
import {
  isList,
  isObject,
  structured,
  amountsAt,
  encodedAt,
  jsonAt,
  mapped,
  textAt,
  under,
  wordAt,
  amount,
  peeked,
  type Reader,
} from "../reader.ts";
import { vectorText } from "../payloads/vectors.ts";
import { inNamespace, type Convention, type Ways } from "./convention.ts";

/** What the program noted: version 7 calls it the runtime context. */
const [noted, context] = ["ai.telemetry.metadata.", "ai.settings.context."] as const;
const tags = `${noted}tags`;
const labels = (...names: readonly string[]): readonly string[] =>
  [noted, context].flatMap((prefix) => names.map((name) => prefix + name));
const [sessions, users] = [labels("sessionId", "session_id"), labels("userId", "user_id")];
const texts = (names: readonly string[]): Ways<string> => names.map((name) => textAt(name));

const prompted = mapped(jsonAt("ai.prompt.messages"), messagesOfAiSdk);

const conversation = mapped(jsonAt("ai.prompt"), (value): Json => {
  if (!isObject(value)) return value;
  const { messages, system, prompt } = value;
  const sent = isList(messages) ? messagesOfAiSdk(messages) : null;
  const said = isList(sent) ? sent : prompt === undefined ? null : [{ role: "user", content: prompt }];
  if (said === null) return value;
  return system === undefined ? said : [{ role: "system", content: system }, ...said];
});

const replied = ["ai.response.reasoning", "ai.response.text", "ai.response.toolCalls"] as const;
const [reasoned, said, asked] = [textAt(replied[0]), textAt(replied[1]), jsonAt(replied[2])];

const callsIn = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) && value.every(isObject) ? value : [];

const reply: Reader<Json> = (span) => {
  const { attributes } = span;
  const text = (type: "text" | "reasoning", value: string | undefined): readonly MessagePart[] =>
    value === undefined ? [] : [{ type, text: value }];
  const parts = [
    ...text("reasoning", reasoned(span)?.value),
    ...text("text", said(span)?.value),
    ...callsIn(asked(span)?.value).map((call): MessagePart => ({ type: "call", call: aiSdkCall(call) })),
  ];
  if (parts.length === 0) return null;
  const operation = attributes["ai.operationId"];
  const ofAgent = operation === "ai.generateText" || operation === "ai.streamText";
  const answered = ofAgent && attributes["ai.response.finishReason"] !== "tool-calls";
  const understood = asked(span) === null || callsIn(asked(span)?.value).length > 0;
  const keys = replied.filter((name) => attributes[name] !== undefined && (understood || name !== replied[2]));
  return { value: [...messagesOfParts("assistant", parts, {}, answered)], keys };
};

const settings = under("ai.settings.", [context]);
const offered = jsonAt("ai.prompt.tools");
const choice = jsonAt("ai.prompt.toolChoice");

const parameters: Reader<JsonObject> = (span) => {
  const [given, tools, chosen] = [settings(span), offered(span), choice(span)];
  if (given === null && tools === null && chosen === null) return null;
  const definitions = isList(tools?.value) ? tools.value.map(structured) : tools?.value;
  return {
    value: {
      ...given?.value,
      ...(definitions !== undefined && { tools: definitions }),
      ...(chosen !== null && { tool_choice: chosen.value }),
    },
    keys: [...(given?.keys ?? []), ...(tools?.keys ?? []), ...(chosen?.keys ?? [])],
  };
};

const vectors = (name: string): Reader<Json> =>
  peeked(
    mapped(encodedAt(name), (value) => {
      const lists = isList(value) && value.every(isList) ? value : [value];
      return lists.every(isList) ? vectorText(lists.map((list) => list.length)) : null;
    }),
  );

const functionName = peeked(textAt("ai.telemetry.functionId"));

/** Vercel's AI SDK in its own words, up to version 6 and, where it is asked for, 7: `ai.prompt.messages`, `ai.toolCall.args`. */
export const vercelAi: Convention = {
  applies: inNamespace("ai"),
  kind: [
    wordAt("ai.operationId", {
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
    prompted,
    conversation,
    encodedAt("ai.toolCall.args"),
    encodedAt("ai.toolCall.input"),
    encodedAt("ai.value"),
    encodedAt("ai.values"),
    encodedAt("ai.documents"),
  ],
  output: [
    reply,
    jsonAt("ai.response.object"),
    encodedAt("ai.toolCall.result"),
    encodedAt("ai.toolCall.output"),
    encodedAt("ai.ranking"),
    vectors("ai.embedding"),
    vectors("ai.embeddings"),
  ],
  parameters: [parameters],
  usage: [
    amountsAt({
      prompt_tokens: ["ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens"],
      completion_tokens: ["ai.usage.outputTokens", "ai.usage.completionTokens"],
      total_tokens: ["ai.usage.totalTokens"],
      cache_read_tokens: ["ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"],
      cache_write_tokens: ["ai.usage.inputTokenDetails.cacheWriteTokens"],
      reasoning_tokens: ["ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens"],
    }),
  ],
  toolName: [textAt("ai.toolCall.name")],
  agentName: [functionName],
  chainName: [functionName],
  session: texts(sessions),
  user: texts(users),
  tags: [jsonAt(tags)],
  firstToken: [mapped(jsonAt("ai.response.msToFirstChunk"), amount)],
  metadata: [under(noted, [...sessions, ...users, tags]), under(context, [...sessions, ...users])],
  bookkeeping: [
    "operation.name",
    "resource.name",
    "ai.operationId",
    "ai.telemetry.functionId",
    "ai.response.id",
    "ai.response.timestamp",
    "ai.response.msToFinish",
    "ai.response.avgOutputTokensPerSecond",
    "ai.usage.",
    "ai.embedding",
    "ai.embeddings",
  ],
};
