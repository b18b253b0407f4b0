import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import { parseInstant } from "../domain/instant.ts";
import {
  documentedAs,
  nonNegativeNumber,
  encodedAt,
  encodedUnder,
  jsonAt,
  labelAt,
  mapReader,
  objectAt,
  textAt,
  tierInKeys,
  usageKeys,
  enumAt,
  type Reader,
} from "./attributes/reader.ts";
import { inNamespace, type Convention } from "./convention.ts";

const observation = "langfuse.observation.";
/** Sources of amounts that a reader computes from one attribute. */
const amountsOf = (name: string, ...keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, [`(in \`${observation}${name}\`)`]]));

const detailsAt = (name: string): Reader<JsonObject> => objectAt(`${observation}${name}`);

const sumOf = (usage: JsonObject, isPart: (key: string) => boolean): number | null => {
  const amounts = Object.entries(usage).flatMap(([key, value]) =>
    isPart(key) ? (nonNegativeNumber(value) ?? []) : [],
  );
  return amounts.length === 0 ? null : amounts.reduce((sum, each) => sum + each, 0);
};

const firstOf = (usage: JsonObject, ...keys: readonly string[]): number | null => {
  for (const key of keys) {
    const value = nonNegativeNumber(usage[key]);
    if (value !== null) return value;
  }
  return null;
};

const firstInside = (usage: JsonObject, outer: readonly string[], ...keys: readonly string[]): number | null => {
  for (const name of outer) {
    const value = isObject(usage[name]) ? firstOf(usage[name], ...keys) : null;
    if (value !== null) return value;
  }
  return null;
};

/**
 * Converts token counts with keys of OpenAI (`prompt_tokens`, which includes cached tokens) or of Langfuse (`input`,
 * `input_cache_read`, which are added up); null without any count.
 */
const tokens = (usage: JsonObject): JsonObject | null => {
  const tier = tierInKeys(usage, "input_");
  const inputDetails = ["prompt_tokens_details", "input_tokens_details"];
  const outputDetails = ["completion_tokens_details", "output_tokens_details"];
  const counts = {
    prompt_tokens:
      firstOf(usage, "prompt_tokens", "input_tokens", "promptTokens") ?? sumOf(usage, (key) => key.startsWith("input")),
    completion_tokens:
      firstOf(usage, "completion_tokens", "output_tokens", "completionTokens") ??
      sumOf(usage, (key) => key.startsWith("output")),
    total_tokens: firstOf(usage, "total_tokens", "total", "totalTokens"),
    cache_read_tokens:
      firstInside(usage, inputDetails, "cached_tokens") ??
      firstOf(usage, "input_cached_tokens", "input_cache_read", `input_${tier}_cache_read`, "cache_read_input_tokens"),
    cache_write_tokens:
      firstInside(usage, inputDetails, "cache_write_tokens") ??
      firstOf(usage, "input_cache_creation", "cache_creation_input_tokens"),
    reasoning_tokens:
      firstInside(usage, outputDetails, "reasoning_tokens") ??
      firstOf(usage, "output_reasoning_tokens", "output_reasoning", `output_${tier}_reasoning`),
    service_tier: tier,
  };
  const reportedCounts = Object.entries(counts).filter(([, value]) => value !== null);
  return reportedCounts.length === 0 ? null : Object.fromEntries(reportedCounts);
};

const dollars = (costs: JsonObject): JsonObject | null => {
  const total = firstOf(costs, "total") ?? sumOf(costs, () => true);
  if (total === null) return null;
  const [prompt, completion] = [firstOf(costs, "input"), firstOf(costs, "output")];
  return { total, ...(prompt !== null && { prompt }), ...(completion !== null && { completion }) };
};

const quotedAt = (name: string): Reader<string> =>
  mapReader(encodedAt(name), (value: Json) => (typeof value === "string" ? value : null));

/** Attributes of Langfuse's SDKs: `langfuse.observation.*` of a span, `langfuse.trace.*` of its trace. */
export const langfuse: Convention = {
  applies: inNamespace("langfuse"),
  kind: [
    enumAt(`${observation}type`, {
      generation: "LLM",
      embedding: "EMBEDDING",
      agent: "AGENT",
      tool: "TOOL",
      chain: "CHAIN",
      retriever: "RETRIEVER",
      span: "CHAIN",
      evaluator: "CHAIN",
      guardrail: "CHAIN",
      event: "OTHER",
    }),
  ],
  model: [textAt(`${observation}model.name`)],
  input: [encodedAt(`${observation}input`), encodedAt("langfuse.trace.input")],
  output: [encodedAt(`${observation}output`), encodedAt("langfuse.trace.output")],
  parameters: [detailsAt("model.parameters")],
  usage: [documentedAs(amountsOf("usage_details", ...usageKeys), mapReader(detailsAt("usage_details"), tokens))],
  cost: [documentedAs(amountsOf("cost_details", "total"), mapReader(detailsAt("cost_details"), dollars))],
  session: [textAt("langfuse.session.id")],
  user: [textAt("langfuse.user.id")],
  traceName: [textAt("langfuse.trace.name")],
  environment: [textAt("langfuse.environment")],
  release: [textAt("langfuse.release")],
  promptName: [textAt(`${observation}prompt.name`)],
  promptVersion: [labelAt(`${observation}prompt.version`)],
  experiment: [textAt("langfuse.experiment.name"), textAt("langfuse.experiment.id")],
  experimentItem: [textAt("langfuse.experiment.item.id")],
  tags: [jsonAt("langfuse.trace.tags"), jsonAt("langfuse.tags")],
  firstTokenAt: [mapReader(quotedAt(`${observation}completion_start_time`), parseInstant)],
  failure: [textAt(`${observation}status_message`)],
  metadata: [encodedUnder(`${observation}metadata.`), objectAt(`${observation}metadata`)],
  traceMetadata: [encodedUnder("langfuse.trace.metadata."), objectAt("langfuse.trace.metadata")],
  bookkeeping: ["langfuse."],
};
