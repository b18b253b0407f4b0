import type { Json } from "../../domain/json.ts";
import { amountsIn, encodedUnder, isObject, mapped, objectAt, peeked, textAt, wordAt } from "../reader.ts";
import { inNamespace, type Convention } from "./convention.ts";

const noted = "langsmith.metadata.";
const [sessions, users] = [
  ["session_id", "thread_id", "conversation_id"].map((name) => noted + name),
  [`${noted}user_id`],
];

/** Settings of a model's call and sums that stand among what the program noted. */
const own = ["_type", "model", "model_name", "stop", "stream", "usage_metadata"].map((name) => noted + name);

const details = peeked(
  mapped(objectAt(`${noted}usage_metadata`), ({ input_token_details: input, output_token_details: output }) =>
    amountsIn({
      cache_read_tokens: ["cache_read"],
      cache_write_tokens: ["cache_creation"],
      reasoning_tokens: ["reasoning"],
    })({ ...(isObject(input) && input), ...(isObject(output) && output) }),
  ),
);

/** LangGraph counts its steps in tags. */
const step = /^(?:graph|seq|map):(?:step|key):/u;

/** LangSmith's SDK, as it exports over OpenTelemetry: inputs and outputs are `gen_ai.prompt` and `gen_ai.completion`. */
export const langSmith: Convention = {
  applies: inNamespace("langsmith"),
  kind: [
    // Before what `gen_ai.operation.name` says: it calls a retriever an embedding.
    wordAt("langsmith.span.kind", {
      llm: "LLM",
      chain: "CHAIN",
      tool: "TOOL",
      retriever: "RETRIEVER",
      embedding: "EMBEDDING",
      prompt: "CHAIN",
      parser: "CHAIN",
    }),
  ],
  usage: [details],
  session: sessions.map((name) => textAt(name)),
  user: users.map((name) => textAt(name)),
  tags: [
    mapped(textAt("langsmith.span.tags"), (tags): Json =>
      tags.split(/,\s*/u).filter((tag) => tag !== "" && !step.test(tag)),
    ),
  ],
  metadata: [encodedUnder(noted, [...sessions, ...users, ...own])],
  bookkeeping: ["langsmith.", "gen_ai.serialized."],
};
