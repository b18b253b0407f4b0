import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import { isList } from "./attributes/embedded-json.ts";
import {
  amountsIn,
  documentedAs,
  encodedUnder,
  jsonAt,
  mapReader,
  objectAt,
  textAt,
  tierInKeys,
  withoutConsuming,
  enumAt,
} from "./attributes/reader.ts";
import { inNamespace, type Convention } from "./convention.ts";

const metadataPrefix = "langsmith.metadata.";
const [sessions, users] = [
  ["session_id", "thread_id", "conversation_id"].map((name) => metadataPrefix + name),
  [`${metadataPrefix}user_id`],
];

/** Metadata keys of LangSmith itself: settings of a model call, and token counts. */
const excludedKeys = ["_type", "model", "model_name", "stop", "stream", "usage_metadata"].map(
  (name) => metadataPrefix + name,
);

const tokenDetails = mapReader(
  objectAt(`${metadataPrefix}usage_metadata`),
  ({ input_token_details: input, output_token_details: output }): JsonObject => ({
    ...(isObject(input) && input),
    ...(isObject(output) && output),
  }),
);

const usageDetails = [
  amountsIn(tokenDetails, {
    cache_read_tokens: ["cache_read", "flex_cache_read", "priority_cache_read"],
    cache_write_tokens: ["cache_creation"],
    reasoning_tokens: ["reasoning", "flex_reasoning", "priority_reasoning"],
  }),
  documentedAs(
    { service_tier: [`(in \`${metadataPrefix}usage_metadata\`)`] },
    mapReader(tokenDetails, (counts): JsonObject | null => {
      const tier = tierInKeys(counts);
      return tier === null ? null : { service_tier: tier };
    }),
  ),
].map(withoutConsuming);

/** Tags that LangGraph adds for its own step numbers. */
const stepTag = /^(?:graph|seq|map):(?:step|key):/u;

/** Attributes of LangSmith's SDK in OpenTelemetry exports. Inputs and outputs are in `gen_ai.prompt` and `gen_ai.completion`. */
export const langSmith: Convention = {
  applies: inNamespace("langsmith"),
  kind: [
    // Takes precedence over `gen_ai.operation.name`, in which LangSmith reports a retriever as an embedding.
    enumAt("langsmith.span.kind", {
      llm: "LLM",
      chain: "CHAIN",
      tool: "TOOL",
      retriever: "RETRIEVER",
      embedding: "EMBEDDING",
      prompt: "CHAIN",
      parser: "CHAIN",
    }),
  ],
  usage: usageDetails,
  session: sessions.map((name) => textAt(name)),
  user: users.map((name) => textAt(name)),
  tags: [
    mapReader(jsonAt("langsmith.span.tags"), (tags): Json | null => {
      const list = typeof tags === "string" ? tags.split(/,\s*/u) : tags;
      return isList(list) ? list.filter((tag) => typeof tag === "string" && tag !== "" && !stepTag.test(tag)) : null;
    }),
  ],
  metadata: [encodedUnder(metadataPrefix, [...sessions, ...users, ...excludedKeys])],
  isExceptionFailure: true,
  bookkeeping: ["langsmith.", "gen_ai.serialized."],
};
