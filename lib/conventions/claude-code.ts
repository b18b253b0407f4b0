import { stringOrEmpty, type Json, type JsonObject } from "../domain/json.ts";
import { inclusiveCounts } from "../domain/traces/usage/call-tokens.ts";
import {
  documentedAs,
  encodedAt,
  enumAt,
  jsonAt,
  like,
  mapReader,
  nonNegativeNumber,
  amountsAt,
  textAt,
  withoutConsuming,
  type Reader,
} from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";
import { inEvents } from "./gen-ai-events.ts";

/** Log events of Claude Code that are stored: those about prompts, answers, and calls of tools and models. */
export const claudeEvents: ReadonlySet<string> = new Set(
  ["user_prompt", "assistant_response", "api_request", "api_error", "tool_decision", "tool_result"].map(
    (name) => `claude_code.${name}`,
  ),
);

/** Text in place of content that the settings of Claude Code exclude. */
const redacted = "<REDACTED>";

const contentAt = (name: string): Reader<Json> =>
  mapReader(encodedAt(name), (value) => (value === redacted ? null : value));

/** Names of counts, which Anthropic reports beside each other. */
const countNames = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"];

const usage: Reader<JsonObject> = documentedAs(countNames, ({ attributes }) => {
  const keys = countNames.filter((name) => attributes[name] !== undefined);
  const types = keys.map((name) => [name.replace(/^((?:in|out)put)_tokens$/u, "$1"), attributes[name] ?? null]);
  const counts = inclusiveCounts(Object.fromEntries(types));
  return Object.keys(counts).length === 0 ? null : { value: counts, keys };
});

const callParts = ["model", "ttft_ms", "input_tokens", "output_tokens"];

/** Identifies a model call without a request id, the same in its span and in its event. */
const describedCall: Reader<string> = documentedAs(callParts, ({ attributes }) => {
  const parts = callParts.map((name) => attributes[name]);
  return parts.some((part) => part === undefined) ? null : { value: JSON.stringify(parts), keys: [] };
});

/** Arguments of built-in tools, which their spans have as single attributes. */
const argumentNames = ["full_command", "file_path", "skill_name", "subagent_type"];

const toolArguments: Reader<Json> = documentedAs(argumentNames, ({ attributes }) => {
  const keys = argumentNames.filter((name) => attributes[name] !== undefined);
  return keys.length === 0 ? null : { value: Object.fromEntries(keys.map((key) => [key, attributes[key]!])), keys };
});

const decisionAt = textAt("decision");

/** Reads the user's decision from the span that waited for it; the event is no output of the tool. */
const userDecision: Reader<Json> = documentedAs(["decision"], (span) => {
  const result = decisionAt(span);
  return span.attributes["span.type"] === undefined ? null : result;
});

const toolUseIdAt = textAt("tool_use_id");

/** Reads the id of a tool call from its span, its execution or its event; what the user or a hook decided is no part of the call. */
const toolCallId: Reader<string> = like(toolUseIdAt, (span) =>
  /^(?:tool(?:\.execution)?)?$/u.test(stringOrEmpty(span.attributes["span.type"])) ? toolUseIdAt(span) : null,
);

/** Spans and log events of Claude Code and of Claude's Agent SDK, which runs it: `claude_code.llm_request`. */
export const claudeCode: Convention = {
  product: "Claude Code",
  applies: (_, { name }) => name.startsWith("claude_code."),
  kind: [
    enumAt("span.type", {
      interaction: "AGENT",
      llm_request: "LLM",
      tool: "TOOL",
      // Parts of a tool call, which has a span of its own.
      "tool.execution": "OTHER",
      "tool.blocked_on_user": "OTHER",
      hook: "OTHER",
    }),
  ],
  model: [textAt("model")],
  input: [
    contentAt("user_prompt"),
    contentAt("prompt"),
    contentAt("tool_input"),
    toolArguments,
    contentAt("new_context"),
  ],
  output: [
    contentAt("response.model_output"),
    contentAt("response"),
    ...["output", "content", "diff"].map((name) => inEvents("tool.output", name)),
    userDecision,
  ],
  system: [jsonAt("user_system_prompt")],
  usage: [usage],
  cost: [amountsAt({ total: ["cost_usd"] })],
  toolName: [textAt("gen_ai.tool.name"), textAt("tool_name")],
  firstToken: [mapReader(jsonAt("ttft_ms"), nonNegativeNumber)],
  failure: [withoutConsuming(textAt("error"))],
  callId: [toolCallId, textAt("request_id"), describedCall],
  bookkeeping: [
    "agent_id",
    "attempt",
    "client_request_id",
    "duration_ms",
    "effort",
    "first_content_ms",
    "gen_ai.response.id",
    "interaction.",
    "llm_request.context",
    "mcp_server_scope",
    "new_context",
    "new_context_message_count",
    "parent.source",
    "parent_agent_id",
    "prompt.id",
    "query_source",
    "query_source_safe",
    "queued_sends",
    "response.has_tool_call",
    "result_tokens",
    "source",
    "span.type",
    "speed",
    "stop_reason",
    "success",
    "system_prompt_hash",
    "system_prompt_length",
    "system_prompt_preview",
    "terminal.type",
    "tool_name_safe",
    "tool_use_id",
    "tools",
    "tools_count",
    "user_prompt",
    "user_prompt_length",
  ],
};
