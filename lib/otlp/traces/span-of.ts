import { epochOf, instantAt, type Instant } from "../../domain/instant.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { IdentifiedSpan, SpanInput } from "../../domain/traces/input.ts";
import { maxProvenanceCharacters } from "../../domain/traces/provenance.ts";
import { externalIdKey, maxLabelCharacters, telemetryKeys } from "../../domain/traces/telemetry.ts";
import type { TelemetryNotes } from "../../domain/telemetry-notes.ts";
import { callIdKey, callPartKey } from "../../domain/traces/call-events.ts";
import { usageTotalKey } from "../../domain/traces/usage/counted-usage.ts";
import { firstTokenEvents } from "../../conventions/general.ts";
import { readSpan, type SpanReading } from "../../conventions/precedence.ts";
import { isUsageTotal } from "../../conventions/usage-totals.ts";
import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { failureText } from "./failure-text.ts";
import { remainingAttributes, contentOf, traceContentOf, traceMetadataKeys } from "./span-attributes.ts";
import { experimentLabels, maxName } from "./trace-settings.ts";
import { spanUuid } from "../wire/span-ids.ts";

const firstTokenAt = (
  { events, startedAt }: ExportedSpan,
  { firstTokenAt: at, firstToken: milliseconds }: SpanReading["values"],
): Instant | null => {
  const event = events.find((each) => firstTokenEvents.has(each.name) && each.at !== null);
  if (event !== undefined) return event.at;
  if (at !== undefined) return at;
  return milliseconds === undefined || milliseconds > 86_400_000 ? null : instantAt(epochOf(startedAt) + milliseconds);
};

const withoutEmptyValues = (entries: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) =>
        value !== null &&
        value !== "" &&
        !(typeof value === "object" && !JSON.isRawJSON(value) && Object.keys(value).length === 0),
    ),
  );

const kindOf = ({ values }: SpanReading, { attributes }: ExportedSpan): NonNullable<SpanInput["kind"]> => {
  if (values.kind !== undefined) return values.kind;
  if (values.usage !== undefined && values.model !== undefined) return "LLM";
  return attributes["gen_ai.tool.call.id"] === undefined ? "OTHER" : "TOOL";
};

/** Returns the name of a span's tool, agent or chain, to replace a generic span name (`ai.toolCall`); undefined without any. */
const nameOf = (
  kind: SpanInput["kind"],
  { toolName, agentName, chainName, label }: SpanReading["values"],
): string | undefined => {
  if (kind === "TOOL" && toolName !== undefined) return toolName;
  if (kind === "AGENT" && agentName !== undefined) return agentName;
  return (kind === "CHAIN" ? chainName : undefined) ?? label;
};

const eventsOf = ({ events }: ExportedSpan): Json =>
  events.map(({ name, at, attributes, otherFields }) => ({
    name,
    at,
    ...withoutEmptyValues({ attributes }),
    ...otherFields,
  }));

/**
 * Converts an OpenTelemetry span to a stored span. Attributes of a known convention become fields. All others stay in the metadata:
 * unknown ones under their own names, duplicates and data of OpenTelemetry itself under names that begin with `otel.`.
 *
 * @param resource id of the OpenTelemetry resource that created the span.
 * @param cut shortens texts to the limits of their fields.
 */
export const spanOf = (span: ExportedSpan, resource: string, cut: TelemetryNotes["cut"]): IdentifiedSpan => {
  const reading = readSpan(span);
  const { values, status } = reading;
  const kind = kindOf(reading, span);
  const sentName = nameOf(kind, values) ?? span.name;
  const name = cut("name", sentName, maxName);
  // Instrumentations without a price for the model report a cost of 0.
  const isReportedCost = Object.values(values.cost ?? {}).some((amount) => amount !== 0);
  const hasUsage = isReportedCost || values.usage !== undefined;
  const limited = (field: string, text: string | undefined, characters = maxLabelCharacters): string | null =>
    text === undefined ? null : cut(field, text, characters);
  const model = limited("model", values.model);
  const isCalled = span.parentIsRemote || (span.parentSpanId !== null && values.isRoot === true);
  // A part of a span may lack its parent.
  const isRoot = span.part === undefined && (span.parentSpanId === null || isCalled);
  const content = contentOf(kind, reading, status === "ERROR");
  const error = failureText({ ...span, status }, values.failure);
  const { metadata, internal } = remainingAttributes(span.attributes, kind, sentName, reading, content.retainedKeys);
  return {
    span_id: spanUuid(span.traceId, span.spanId),
    parent_span_id: span.parentSpanId === null ? null : spanUuid(span.traceId, span.parentSpanId),
    name: name || "unnamed",
    kind,
    status,
    input: content.input,
    output: content.output,
    model,
    token_usage: values.usage,
    cost: isReportedCost ? values.cost : undefined,
    model_parameters: content.parameters,
    started_at: span.startedAt,
    ended_at: span.endedAt,
    completion_start_time: firstTokenAt(span, values),
    error,
    metadata: {
      ...metadata,
      "otel.span_id": span.spanId,
      [telemetryKeys.resource]: resource,
      ...withoutEmptyValues({
        "otel.name": name === span.name ? "" : span.name,
        "otel.kind": span.kind,
        // A warning has a message without an error.
        "otel.status_message": span.statusMessage || (error === null ? (values.failure ?? "") : ""),
        "otel.scope": withoutEmptyValues({ ...span.scope }),
        "otel.events": eventsOf(span),
        "otel.links": span.links,
        "otel.attributes": internal,
        "otel.others": span.otherFields,
        [usageTotalKey]: hasUsage && isUsageTotal(span, kind) ? true : null,
        "otel.cost": isReportedCost ? null : (values.cost ?? null),
        "otel.model": model === values.model ? null : (values.model ?? null),
        "otel.tool_name": values.toolName === sentName ? null : (values.toolName ?? null),
        "otel.tags": values.tags ?? null,
        [kind === "TOOL" || kind === "LLM" ? callIdKey : callPartKey]: values.callId ?? null,
        [telemetryKeys.traceName]: limited("trace name", values.traceName, maxName),
        ...traceContentOf(reading),
        [telemetryKeys.environment]: limited("environment", values.environment),
        [telemetryKeys.release]: limited("release", values.release),
        [telemetryKeys.promptName]: limited("prompt_name", values.promptName, maxProvenanceCharacters),
        [telemetryKeys.promptVersion]: limited("prompt_version", values.promptVersion, maxProvenanceCharacters),
        ...experimentLabels(values, limited),
        [externalIdKey]: span.externalIds?.span ?? null,
        "otel.ms_to_first_token": values.firstToken ?? null,
        [telemetryKeys.modelHost]: values.modelHost ?? null,
        [telemetryKeys.session]: limited("session_id", values.session),
        [telemetryKeys.user]: limited("user_id", values.user),
        [telemetryKeys.traceMetadata]: traceMetadataKeys(reading, metadata, isRoot),
        [telemetryKeys.remoteParent]: isCalled ? true : null,
      }),
    },
  };
};
