import type { Json, JsonObject } from "../../domain/json.ts";
import {
  isList,
  isObject,
  structured,
  amountsAt,
  jsonAt,
  mapped,
  textAt,
  under,
  wordAt,
  amount,
  type Reader,
} from "../reader.ts";
import type { Convention } from "./convention.ts";

const noted = "ai.telemetry.metadata.";
const [session, user, tags] = [`${noted}sessionId`, `${noted}userId`, `${noted}tags`];

const conversation = mapped(jsonAt("ai.prompt"), (value): Json => {
  if (!isObject(value)) return value;
  const { messages, system, prompt } = value;
  const said = isList(messages) ? messages : prompt === undefined ? null : [{ role: "user", content: prompt }];
  if (said === null) return value;
  return system === undefined ? said : [{ role: "system", content: system }, ...said];
});

const callOf = (call: Json): Json =>
  isObject(call)
    ? {
        ...(call["toolCallId"] !== undefined && { id: call["toolCallId"] }),
        type: "function",
        function: { name: call["toolName"] ?? null, arguments: structured(call["input"] ?? call["args"] ?? null) },
      }
    : call;

const said = textAt("ai.response.text");
const asked = jsonAt("ai.response.toolCalls");

const reply: Reader<Json> = (span) => {
  const [text, calls] = [said(span), asked(span)];
  if (text === null && calls === null) return null;
  const message = {
    role: "assistant",
    ...(text !== null && { content: text.value }),
    ...(isList(calls?.value) && { tool_calls: calls.value.map(callOf) }),
  };
  return { value: [message], keys: [...(text?.keys ?? []), ...(calls?.keys ?? [])] };
};

const settings = under("ai.settings.");
const offered = jsonAt("ai.prompt.tools");

const parameters: Reader<JsonObject> = (span) => {
  const [given, tools] = [settings(span), offered(span)];
  if (given === null && tools === null) return null;
  const definitions = isList(tools?.value) ? tools.value.map(structured) : tools?.value;
  return {
    value: { ...given?.value, ...(definitions !== undefined && { tools: definitions }) },
    keys: [...(given?.keys ?? []), ...(tools?.keys ?? [])],
  };
};

/** Vercel's AI SDK in its own words, up to version 6 and, where it is asked for, 7: `ai.prompt.messages`, `ai.toolCall.args`. */
export const vercelAi: Convention = {
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
    jsonAt("ai.prompt.messages"),
    conversation,
    jsonAt("ai.toolCall.args"),
    jsonAt("ai.toolCall.input"),
    jsonAt("ai.value"),
    jsonAt("ai.values"),
  ],
  output: [reply, jsonAt("ai.response.object"), jsonAt("ai.toolCall.result"), jsonAt("ai.toolCall.output")],
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
  session: [textAt(session)],
  user: [textAt(user)],
  tags: [jsonAt(tags)],
  firstToken: [mapped(jsonAt("ai.response.msToFirstChunk"), amount)],
  metadata: [under(noted, [session, user, tags])],
};
