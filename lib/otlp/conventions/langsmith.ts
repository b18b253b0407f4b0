import type { Json } from "../../domain/json.ts";
import { encodedUnder, mapped, textAt, wordAt } from "../reader.ts";
import { inNamespace, type Convention } from "./convention.ts";

const noted = "langsmith.metadata.";
const [sessions, users] = [
  ["session_id", "thread_id", "conversation_id"].map((name) => noted + name),
  [`${noted}user_id`],
];

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
  session: sessions.map((name) => textAt(name)),
  user: users.map((name) => textAt(name)),
  tags: [
    mapped(textAt("langsmith.span.tags"), (tags): Json =>
      tags.split(/,\s*/u).filter((tag) => tag !== "" && !step.test(tag)),
    ),
  ],
  metadata: [encodedUnder(noted, [...sessions, ...users])],
  bookkeeping: ["langsmith.", "gen_ai.serialized."],
};
