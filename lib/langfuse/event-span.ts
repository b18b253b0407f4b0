import type { ExportedSpan } from "../conventions/attributes/exported-span.ts";
import { externalIdOf } from "../domain/access/identity.ts";
import type { PartRanks } from "../domain/traces/parts/partial-span.ts";
import { isObject, prefixed, presentEntries, type Json, type JsonObject } from "../domain/json.ts";
import { noSpanId, spanIdForm, spanUuidOfText, traceHex } from "../otlp/wire/span-ids.ts";
import { metadataObject } from "./metadata.ts";
import type { ObservationEvent, TraceEvent } from "./sent-events.ts";

const observation = "langfuse.observation.";

const unlessEmpty = (values: JsonObject): JsonObject | null => (Object.keys(values).length === 0 ? null : values);

/** Encodes a value as the attribute of it is: texts, and lists, which may have texts, as JSON. */
const encoded = (value: Json | undefined): Json | undefined =>
  typeof value === "string" || Array.isArray(value) ? JSON.stringify(value) : value;

const metadataOf = (value: Json = null): JsonObject => presentEntries(metadataObject(value));

/** Returns the attributes of counts and costs. Those in details win; counts of another unit than tokens are no usage. */
const usageAttributes = ({ usage, usageDetails, costDetails }: JsonObject): JsonObject => {
  if (!isObject(usage)) return prefixed(observation, { usage, usage_details: usageDetails, cost_details: costDetails });
  const { unit = null, inputCost: input, outputCost: output, totalCost: total, ...counts } = usage;
  const isTokens = unit === null || unit === "TOKENS";
  return prefixed(observation, {
    usage_details: usageDetails ?? (isTokens ? unlessEmpty(counts) : null),
    cost_details: costDetails ?? unlessEmpty(presentEntries({ input, output, total })),
    usage: isTokens ? null : usage,
  });
};

const textOf = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);

/** Fields that are the same for all messages of Langfuse. */
const common = {
  parentIsRemote: false,
  kind: null,
  events: [],
  links: [],
  scope: { name: "langfuse", version: "", attributes: {} },
  resource: {},
  otherFields: {},
} as const;

/** Returns the attributes of a trace for the span that describes it. @param traceId UUID of the trace. */
export const spanOfTrace = (
  { body: { id, timestamp, name, sessionId, userId }, at, attributes }: TraceEvent,
  traceId: string,
): ExportedSpan => {
  const { input, output, environment, release, tags, metadata, ...others } = attributes;
  const metadataWithOthers = { ...metadataOf(metadata), ...prefixed("langfuse.", others) };
  return {
    ...common,
    isTrace: true,
    traceId: traceHex(traceId),
    externalIds: { trace: externalIdOf(id) ?? undefined },
    spanId: noSpanId,
    parentSpanId: null,
    name: "",
    startedAt: timestamp ?? at,
    endedAt: null,
    status: "UNSET",
    statusMessage: "",
    attributes: {
      ...prefixed("langfuse.", {
        "trace.name": name,
        "trace.input": encoded(input),
        "trace.output": encoded(output),
        "session.id": sessionId,
        "user.id": userId,
        environment,
        release,
        "trace.tags": tags,
      }),
      ...presentEntries({ "langfuse.trace.metadata": unlessEmpty(metadataWithOthers) }),
    },
  };
};

/** Ranks of the fields of creates and updates, and of values that neither has. */
const ranks = { create: { set: 0, assumed: -1 }, update: { set: 2, assumed: -2 } } as const;

/** Returns the rank of each field that differs from that of the event's others: of details that win, and of values that the event lacks. */
const ranksOf = ({ body, attributes, isUpdate, type }: ObservationEvent): PartRanks => {
  const { set, assumed } = isUpdate ? ranks.update : ranks.create;
  const entries = Object.entries({
    name: body.name ? set : assumed,
    started_at: (body.startTime ?? null) === null ? assumed : set,
    ended_at: type === "event" && (body.startTime ?? null) === null ? assumed : set,
    // Programs update observations of any type as spans.
    kind: type === null ? assumed : type === "span" ? 0 : set + 1,
    status: body.level ? set : assumed,
    parent_span_id: body.parentObservationId ? set : assumed,
    token_usage: (attributes["usageDetails"] ?? null) === null ? set : set + 1,
    cost: (attributes["costDetails"] ?? null) === null ? set : set + 1,
    model_parameters: (attributes["modelParameters"] ?? null) === null ? set : set + 1,
  });
  return { rank: set, others: Object.fromEntries(entries.filter(([, rank]) => rank !== set)) };
};

/**
 * Converts an event of an observation to a part of its span, with the attributes by which Langfuse's SDKs describe observations in
 * OpenTelemetry, so that both are read by one convention.
 *
 * @param traceId UUID of the trace. @param traceText id of the trace as the event, or another one of its observation, has it.
 */
export const spanOfObservation = (event: ObservationEvent, traceId: string, traceText: string): ExportedSpan => {
  const { body, attributes, at, type, isUpdate } = event;
  const { id, parentObservationId: parent, name, startTime, endTime, level, statusMessage } = body;
  const {
    input,
    output,
    model,
    modelParameters,
    usage: _,
    usageDetails: __,
    costDetails: ___,
    completionStartTime,
    promptName,
    promptVersion,
    version,
    environment,
    metadata,
    ...others
  } = attributes;
  const startedAt = startTime ?? at;
  const hexOf = (text: string): string => traceHex(spanUuidOfText(traceId, text));
  const isText = externalIdOf(id) !== null && !spanIdForm.test(id.toLowerCase());
  return {
    ...common,
    traceId: traceHex(traceId),
    externalIds: { span: isText ? id : undefined, trace: externalIdOf(traceText) ?? undefined },
    spanId: hexOf(id),
    // Until its create arrives an update is no top span: its parent is one that no trace has.
    parentSpanId: parent ? hexOf(parent) : isUpdate ? noSpanId : null,
    name: name ?? "",
    startedAt,
    endedAt: endTime ?? (type === "event" ? startedAt : null),
    status: level === "ERROR" ? "ERROR" : "UNSET",
    statusMessage: textOf(statusMessage),
    part: ranksOf(event),
    attributes: {
      ...prefixed(observation, {
        ...others,
        type,
        level,
        input: encoded(input),
        output: encoded(output),
        "model.name": model,
        "model.parameters": modelParameters,
        completion_start_time: completionStartTime,
        "prompt.name": promptName,
        "prompt.version": promptVersion,
      }),
      ...prefixed("langfuse.", { version, environment }),
      ...usageAttributes(attributes),
      ...presentEntries({ "langfuse.observation.metadata": unlessEmpty(metadataOf(metadata)) }),
    },
  };
};
