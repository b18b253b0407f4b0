import { labelText } from "../domain/json.ts";
import {
  amountsIn,
  documentedAs,
  encodedAt,
  mapReader,
  objectAt,
  textIn,
  enumAt,
  type Reader,
} from "./attributes/reader.ts";
import { usageAt } from "./usage-readers.ts";
import { inNamespace, type Convention } from "./convention.ts";

const kinds = {
  LLM: "LLM",
  CHAT_MODEL: "LLM",
  EMBEDDING: "EMBEDDING",
  AGENT: "AGENT",
  TOOL: "TOOL",
  CHAIN: "CHAIN",
  WORKFLOW: "CHAIN",
  TASK: "CHAIN",
  RETRIEVER: "RETRIEVER",
  RERANKER: "RETRIEVER",
  PARSER: "CHAIN",
  MEMORY: "OTHER",
  GUARDRAIL: "OTHER",
  EVALUATOR: "OTHER",
  UNKNOWN: "CHAIN",
} as const;

/** Span kinds by MLflow span type, with and without quotation marks, since MLflow writes attributes as JSON. */
const quoted = Object.fromEntries(
  Object.entries(kinds).flatMap(([word, kind]) => [
    [word, kind],
    [`"${word}"`, kind],
  ]),
);

const textAt = (name: string): Reader<string> => mapReader(encodedAt(name), labelText);

/** Attributes of MLflow's tracing: `mlflow.spanType`, `mlflow.spanInputs`, `mlflow.chat.tokenUsage`. */
export const mlflow: Convention = {
  applies: inNamespace("mlflow"),
  kind: [enumAt("mlflow.spanType", quoted)],
  model: [textAt("mlflow.llm.model"), textIn("mlflow.spanInputs", "model")],
  input: [encodedAt("mlflow.spanInputs")],
  output: [encodedAt("mlflow.spanOutputs")],
  parameters: [
    documentedAs(
      { tools: ["mlflow.chat.tools"] },
      mapReader(encodedAt("mlflow.chat.tools"), (tools) => ({ tools })),
    ),
  ],
  usage: [usageAt("mlflow.chat.tokenUsage")],
  cost: [
    amountsIn(objectAt("mlflow.llm.cost"), {
      total: ["total_cost"],
      prompt: ["input_cost"],
      completion: ["output_cost"],
    }),
  ],
  session: [textAt("mlflow.trace.session"), textAt("mlflow.traceMetadata.mlflow.trace.session")],
  user: [textAt("mlflow.trace.user"), textAt("mlflow.traceMetadata.mlflow.trace.user")],
  /** MLflow's autologging repeats the settings of a model call in attributes without a prefix. */
  bookkeeping: ["mlflow.", "model", "tools", "temperature", "max_tokens", "top_p", "messages", "stream"],
};
