import { resourceLabels } from "../domain/traces/telemetry.ts";
import { firstTokenEvents } from "./general.ts";
import { precedence, type SpanField } from "./precedence.ts";

const markdownOf = (source: string): string => (source.startsWith("(") ? source.slice(1, -1) : `\`${source}\``);

/** Sources of a field in order of precedence, in Markdown. @param key key of a field that is an object, such as `prompt_tokens`. */
const sourcesOf = (field: SpanField, key = ""): readonly string[] => {
  const sources = precedence.flatMap(({ [field]: readers = [], product }) =>
    readers
      .flatMap((reader) => reader.sources?.[key] ?? [])
      .map((source) => markdownOf(source) + (product === undefined ? "" : ` (${product})`)),
  );
  return [...new Set(sources)];
};

const ofResource = (names: readonly string[]): readonly string[] =>
  names.map((name) => `the resource's ${markdownOf(name)}`);

const spanName = "the span's name";

/** Fields of a stored span or trace, and what each is read from. */
const rows: readonly (readonly [field: string, sources: readonly string[]])[] = [
  ["kind", sourcesOf("kind")],
  ["model", sourcesOf("model")],
  ["host of an open model, for its price", sourcesOf("modelHost")],
  ["input", sourcesOf("input")],
  ["output", sourcesOf("output")],
  [
    "model_parameters (all that are set)",
    [
      ...sourcesOf("parameters"),
      "other fields of a request with messages",
      ...sourcesOf("system").map((source) => `${source} if there is no input`),
    ],
  ],
  ["model_parameters.tools", sourcesOf("parameters", "tools")],
  ["token_usage (counts by the words of their names)", sourcesOf("usage")],
  ["token_usage.service_tier", sourcesOf("usage", "service_tier")],
  ["cost.total", sourcesOf("cost", "total")],
  ["name of a TOOL", [...sourcesOf("toolName"), ...sourcesOf("label"), spanName]],
  ["name of an AGENT", [...sourcesOf("agentName"), ...sourcesOf("label"), spanName]],
  ["name of a CHAIN", [...sourcesOf("chainName"), ...sourcesOf("label"), spanName]],
  ["session_id of the trace", sourcesOf("session")],
  ["user_id of the trace", sourcesOf("user")],
  ["name of the trace", [...sourcesOf("traceName"), "the name of the root"]],
  ["input of the trace", [...sourcesOf("traceInput"), "the input of the root"]],
  ["output of the trace", [...sourcesOf("traceOutput"), "the output of the root"]],
  ["tags of the trace (of all spans)", sourcesOf("tags")],
  ["environment of the trace", [...sourcesOf("environment"), ...ofResource(resourceLabels.environment)]],
  ["release of the trace", [...sourcesOf("release"), ...ofResource(resourceLabels.release)]],
  ["prompt_name of the trace (of all spans)", sourcesOf("promptName")],
  ["prompt_version of the trace (of all spans)", sourcesOf("promptVersion")],
  ["experiment of the trace", sourcesOf("experiment")],
  ["experiment_item_id of the trace", sourcesOf("experimentItem")],
  ["dataset of the experiment", sourcesOf("dataset")],
  [
    "completion_start_time",
    [`events \`${[...firstTokenEvents].join("`, `")}\``, ...sourcesOf("firstTokenAt"), ...sourcesOf("firstToken")],
  ],
  [
    "error",
    [
      "exception events: type, message, then the stack trace",
      "the status's message",
      "`error.message`",
      ...sourcesOf("failure"),
      "`error.type`",
    ],
  ],
  [
    "metadata of the trace (all that is set)",
    [...sourcesOf("traceMetadata"), "of the root that from `metadata` below and attributes without a dot"],
  ],
  [
    "metadata (all that is set)",
    [...sourcesOf("metadata"), ...sourcesOf("traceMetadata"), "all other attributes, by name"],
  ],
];

/** Markdown table of the OpenTelemetry attributes that each field is read from, part of the description of `POST /v1/traces`. */
export const mappingTable: string = [
  "| Field | Source: the first of these that the span has |",
  "|---|---|",
  ...rows.map(([field, sources]) => `| ${field} | ${sources.join(", ")} |`),
].join("\n");
