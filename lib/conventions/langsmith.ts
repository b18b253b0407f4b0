import {
  amountsIn,
  encodedUnder,
  enumAt,
  labelAt,
  mapReader,
  objectAt,
  withoutConsuming,
} from "./attributes/reader.ts";
import { usageAt } from "./usage-readers.ts";
import { inNamespace, type Convention } from "./convention.ts";
import { tagsAt } from "./tags.ts";

const metadataPrefix = "langsmith.metadata.";
const [sessions, users] = [
  ["session_id", "thread_id", "conversation_id"].map((name) => metadataPrefix + name),
  [`${metadataPrefix}user_id`],
];

/** Token counts and costs of a call. */
const usageKey = `${metadataPrefix}usage_metadata`;

/** Metadata keys of LangSmith itself: settings of a model call, and token counts. */
const excludedKeys = ["_type", "model", "model_name", "stop", "stream", "usage_metadata"].map(
  (name) => metadataPrefix + name,
);

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
  usage: [withoutConsuming(usageAt(usageKey))],
  cost: [
    withoutConsuming(
      amountsIn(objectAt(usageKey), {
        total: ["total_cost"],
        prompt: ["input_cost"],
        completion: ["output_cost"],
      }),
    ),
  ],
  session: sessions.map(labelAt),
  user: users.map(labelAt),
  tags: [mapReader(tagsAt("langsmith.span.tags"), (tags) => tags.filter((tag) => !stepTag.test(tag)))],
  metadata: [encodedUnder(metadataPrefix, [...sessions, ...users, ...excludedKeys])],
  isExceptionFailure: true,
  bookkeeping: ["langsmith.", "gen_ai.serialized."],
};
