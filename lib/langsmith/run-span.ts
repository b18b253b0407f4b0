import type { LangsmithRun } from "../contract/langsmith/runs.ts";
import type { ExportedSpan } from "../conventions/attributes/exported-span.ts";
import { firstTokenEvents } from "../conventions/general.ts";
import { epochOf, instantAt, parseInstant, type Instant } from "../domain/instant.ts";
import { isObject, prefixed, presentEntries, type Json, type JsonObject } from "../domain/json.ts";
import { traceHex } from "../otlp/wire/span-ids.ts";
import { runUsageOf } from "./run-usage.ts";

/** A run whose place is known. */
export interface PlacedRun {
  readonly run: LangsmithRun & { readonly name: string };
  /** Fields of the run that its schema does not have. */
  readonly otherFields: JsonObject;
  readonly traceId: string;
  readonly parentId: string | null;
  readonly startedAt: Instant;
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

const errorText = (error: Json): string => (typeof error === "string" ? error : JSON.stringify(error));

const instantOf = (value: Json | undefined): Instant | null => {
  if (typeof value === "string") return parseInstant(value);
  return typeof value === "number" && Math.abs(value) < 8e15 ? instantAt(value) : null;
};

/** Events of a run, of those for single tokens the first; the others repeat the output. */
const eventsOf = (events: Json): ExportedSpan["events"] => {
  const list = (Array.isArray(events) ? (events as readonly Json[]) : [events]).flatMap((value) =>
    value === null ? [] : [isObject(value) ? value : { value }],
  );
  const firstToken = list.find(({ name }) => typeof name === "string" && firstTokenEvents.has(name));
  return list
    .filter((event) => firstToken === undefined || event === firstToken || event["name"] !== firstToken["name"])
    .map(({ name, time, ...attributes }) => {
      const at = instantOf(time);
      return {
        name: typeof name === "string" ? name : "event",
        at,
        attributes: presentEntries({
          ...attributes,
          ...(typeof name !== "string" && { name }),
          ...(at === null && { time }),
        }),
      };
    });
};

/** Names of the settings of a model call that become attributes of OpenTelemetry. */
const settings = ["temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty", "seed"];

/** Returns the attributes of the model call that a run describes, as LangSmith's OpenTelemetry mode names them. */
const callAttributes = ({ inputs, outputs, extra }: LangsmithRun): JsonObject => {
  const metadata = objectOf(extra?.["metadata"]);
  const parameters = { ...objectOf(metadata["invocation_params"]), ...objectOf(extra?.["invocation_params"]) };
  const [input, output] = [objectOf(inputs ?? null), objectOf(outputs ?? null)];
  const usage = runUsageOf(metadata, outputs);
  return presentEntries({
    "gen_ai.request.model":
      metadata["ls_model_name"] ??
      parameters["model"] ??
      parameters["model_name"] ??
      (Array.isArray(input["messages"]) ? input["model"] : null),
    "gen_ai.response.model": usage === null ? null : output["model"],
    "gen_ai.response.id": output["id"],
    "langsmith.metadata.usage_metadata": usage,
    "gen_ai.tool.definitions": parameters["tools"],
    ...prefixed("gen_ai.request.", Object.fromEntries(settings.map((key) => [key, parameters[key] ?? null]))),
  });
};

/** True for the empty outputs that the Python SDK sends of a run which has not ended. */
const isOpenOutput = ({ outputs = null, end_time: end }: LangsmithRun): boolean =>
  (end ?? null) === null && isObject(outputs) && Object.keys(outputs).length === 0;

const pairedRole = /^(?:ai|assistant|human|system|user)$/u;

/** Converts messages of LangChain that are pairs of role and content; any other value is returned unchanged. */
const withoutPairs = (value: Json | undefined): Json | undefined => {
  if (isObject(value) && value["messages"] !== undefined)
    return { ...value, messages: withoutPairs(value["messages"]) ?? null };
  if (!Array.isArray(value)) return value;
  const list: readonly Json[] = value;
  const [role, content] = list;
  return list.length === 2 && pairedRole.test(typeof role === "string" ? role : "")
    ? { role: role ?? null, content: content ?? null }
    : list.map((item) => withoutPairs(item) ?? null);
};

/** Joins the pieces that a generator yielded, which its run has as a list: texts, of which some begin or end with a space. */
const joinedOutputs = (outputs: LangsmithRun["outputs"]): Json | undefined => {
  const pieces = isObject(outputs) && Object.keys(outputs).length === 1 ? outputs["output"] : undefined;
  if (!Array.isArray(pieces) || pieces.length < 2) return outputs;
  const texts = pieces.filter((piece: Json) => typeof piece === "string");
  return texts.length === pieces.length && texts.some((text) => text !== text.trim()) ? texts.join("") : outputs;
};

/** True for a value that says nothing: absent, or an empty list or object. */
const isEmpty = (value: Json | undefined): boolean =>
  value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);

/** Returns the members of an object by names with a prefix, or another value by the prefix alone. */
const membersOf = (prefix: string, value: Json | undefined): JsonObject =>
  isObject(value) ? prefixed(`${prefix}.`, value) : presentEntries({ [prefix]: value });

/** Texts by which a run and its trace are identified, where they are no UUIDs. */
const givenIds = ({ run, traceId }: PlacedRun, uuidOf: (id: string) => string): JsonObject =>
  Object.fromEntries(Object.entries({ run_id: run.id, trace_id: traceId }).filter(([, id]) => uuidOf(id) !== id));

const attributesOf = ({ run, otherFields }: PlacedRun): JsonObject => {
  const { metadata, runtime, ...otherExtra } = run.extra ?? {};
  const isTool = run.run_type === "tool";
  return {
    ...membersOf("langsmith.metadata", metadata),
    ...callAttributes(run),
    ...prefixed("langsmith.extra.", otherExtra),
    ...(isObject(runtime) ? {} : membersOf("langsmith.extra.runtime", runtime)),
    ...membersOf("gen_ai.serialized", run.serialized),
    ...prefixed(
      "langsmith.run.",
      Object.fromEntries(Object.entries(otherFields).filter(([, value]) => !isEmpty(value))),
    ),
    ...presentEntries({
      "langsmith.span.kind": run.run_type,
      "langsmith.trace.session_name": run.session_name,
      "langsmith.run.session_id": run.session_id,
      "langsmith.reference_example_id": run.reference_example_id,
      "langsmith.attachments": run.attachments,
      "langsmith.span.tags": isEmpty(run.tags) ? null : run.tags,
      "gen_ai.tool.name": isTool ? run.name : null,
      "gen_ai.tool.call.id": isTool ? (otherExtra["tool_call_id"] ?? objectOf(metadata)["tool_call_id"]) : null,
      "gen_ai.prompt": isObject(run.inputs) ? withoutPairs(run.inputs) : run.inputs,
      "gen_ai.completion": isOpenOutput(run) ? null : joinedOutputs(run.outputs),
    }),
  };
};

/** Returns the end of a run. The JavaScript SDK numbers runs in the microseconds of their starts, and ends have none. */
const endOf = (startedAt: Instant, end: Instant): Instant =>
  epochOf(end) === epochOf(startedAt) && end < startedAt ? startedAt : end;

/**
 * Converts a run to a span with the attributes of LangSmith's OpenTelemetry mode, so that both are read by one convention. The ids of
 * run and span are equal.
 *
 * @param uuidOf returns the UUID of an id, which may be any text.
 */
export const spanOfRun = (placed: PlacedRun, uuidOf: (id: string) => string): ExportedSpan => {
  const { run, traceId, parentId, startedAt } = placed;
  const endedAt = run.end_time === undefined || run.end_time === null ? null : endOf(startedAt, run.end_time);
  const runtime = objectOf(run.extra?.["runtime"]);
  const version = runtime["sdk_version"];
  const hasFailed = run.error !== undefined && run.error !== null && run.error !== "";
  const exceptions = hasFailed
    ? [{ name: "exception", at: endedAt, attributes: { "exception.message": errorText(run.error ?? null) } }]
    : [];
  return {
    traceId: traceHex(uuidOf(traceId)),
    spanId: traceHex(uuidOf(run.id)),
    parentSpanId: parentId === null ? null : traceHex(uuidOf(parentId)),
    parentIsRemote: false,
    name: run.name,
    kind: null,
    startedAt,
    endedAt,
    status: hasFailed ? "ERROR" : endedAt === null ? "UNSET" : "OK",
    statusMessage: "",
    attributes: { ...attributesOf(placed), ...prefixed("langsmith.metadata.langsmith.", givenIds(placed, uuidOf)) },
    events: [...eventsOf(run.events ?? null), ...exceptions],
    links: [],
    scope: { name: "langsmith", version: typeof version === "string" ? version : "", attributes: {} },
    resource: runtime,
    otherFields: {},
  };
};
