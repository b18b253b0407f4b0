import type { Json, JsonObject } from "../domain/json.ts";
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
  enumAt,
  retainingOthers,
  type Reader,
} from "./attributes/reader.ts";
import { usageAt } from "./usage-readers.ts";
import { inNamespace, type Convention } from "./convention.ts";
import { tagsAt } from "./tags.ts";

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

/** Names of the amounts that a span's cost has. */
const costNames: ReadonlySet<string> = new Set(["total", "input", "output"]);

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
  input: [encodedAt(`${observation}input`)],
  output: [encodedAt(`${observation}output`)],
  parameters: [detailsAt("model.parameters")],
  usage: [usageAt(`${observation}usage_details`)],
  cost: [
    retainingOthers(
      `${observation}cost_details`,
      (key) => costNames.has(key),
      documentedAs(amountsOf("cost_details", "total"), mapReader(detailsAt("cost_details"), dollars)),
    ),
  ],
  session: [labelAt("langfuse.session.id")],
  user: [labelAt("langfuse.user.id")],
  isRoot: ["is_app_root", "as_root"].map((name) =>
    mapReader(jsonAt(`langfuse.internal.${name}`), (value) => (value === true ? value : null)),
  ),
  traceName: [labelAt("langfuse.trace.name")],
  traceInput: [encodedAt("langfuse.trace.input")],
  traceOutput: [encodedAt("langfuse.trace.output")],
  environment: [labelAt("langfuse.environment")],
  release: [labelAt("langfuse.release")],
  promptName: [labelAt(`${observation}prompt.name`)],
  promptVersion: [labelAt(`${observation}prompt.version`)],
  experiment: [labelAt("langfuse.experiment.name"), labelAt("langfuse.experiment.id")],
  experimentId: [labelAt("langfuse.experiment.id")],
  experimentItem: [labelAt("langfuse.experiment.item.id")],
  dataset: [labelAt("langfuse.experiment.dataset.id")],
  tags: [tagsAt("langfuse.trace.tags"), tagsAt("langfuse.tags")],
  firstTokenAt: [mapReader(quotedAt(`${observation}completion_start_time`), parseInstant)],
  failure: [textAt(`${observation}status_message`)],
  isFailure: [mapReader(textAt(`${observation}level`), (level) => level === "ERROR" || null)],
  metadata: [encodedUnder(`${observation}metadata.`), objectAt(`${observation}metadata`)],
  traceMetadata: [encodedUnder("langfuse.trace.metadata."), objectAt("langfuse.trace.metadata")],
  bookkeeping: ["langfuse."],
};
