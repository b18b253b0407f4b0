import { firstCharacters, hasAtMost } from "../domain/characters.ts";
import { epochOf, instantAt, type Instant } from "../domain/instant.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { IdentifiedSpan, SpanInput } from "../domain/traces/input.ts";
import { telemetryKeys } from "../domain/traces/telemetry.ts";
import { readingOf, type Reading } from "./conventions/precedence.ts";
import type { ExportedSpan } from "./exported-span.ts";
import { failureText } from "./failure-text.ts";
import { leftOver } from "./span-attributes.ts";
import { contentOf } from "./span-content.ts";
import { spanUuid } from "./span-ids.ts";

const maxName = 512;
const maxLabel = 255;

/** Kinds that call a model themselves; what others report is the sum of such calls and would be counted twice. */
const counting = new Set<SpanInput["kind"]>(["LLM", "EMBEDDING", "RETRIEVER", "OTHER"]);

const firstTokenEvents = new Set([
  "gen_ai.first_token",
  "First Token Stream Event",
  "ai.stream.firstChunk",
  "llm.content.completion.chunk",
  "new_token",
]);

const firstTokenAt = (
  { events, startedAt }: ExportedSpan,
  { firstTokenAt: at, firstToken: milliseconds }: Reading["values"],
): Instant | null => {
  const event = events.find((each) => firstTokenEvents.has(each.name) && each.at !== null);
  if (event !== undefined) return event.at;
  if (at !== undefined) return at;
  return milliseconds === undefined || milliseconds > 86_400_000 ? null : instantAt(epochOf(startedAt) + milliseconds);
};

const given = (entries: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) =>
        value !== null &&
        value !== "" &&
        !(typeof value === "object" && !JSON.isRawJSON(value) && Object.keys(value).length === 0),
    ),
  );

const kindOf = ({ values }: Reading, { attributes }: ExportedSpan): NonNullable<SpanInput["kind"]> => {
  if (values.kind !== undefined) return values.kind;
  if (values.usage !== undefined && values.model !== undefined) return "LLM";
  return attributes["gen_ai.tool.call.id"] === undefined ? "OTHER" : "TOOL";
};

/** What a span is called where its own name only says which function it is of: `ai.toolCall`, `invoke_agent gpt-5`. */
const nameOf = (
  kind: SpanInput["kind"],
  { toolName, agentName, chainName, label }: Reading["values"],
): string | undefined => {
  if (kind === "TOOL" && toolName !== undefined) return toolName;
  if (kind === "AGENT" && agentName !== undefined) return agentName;
  return (kind === "CHAIN" ? chainName : undefined) ?? label;
};

const eventsOf = ({ events }: ExportedSpan): Json =>
  events.map(({ name, at, attributes }) => ({ name, at, ...given({ attributes }) }));

/**
 * A span of OpenTelemetry as one of ours. What its attributes say in a known convention becomes fields; what nobody
 * understands stays in the metadata under its own name, and what is said twice, or belongs to OpenTelemetry, under names
 * that begin with `otel.`. Nothing is dropped.
 *
 * @param resource id of the resource that made it.
 */
export const spanOf = (span: ExportedSpan, resource: string): IdentifiedSpan => {
  const reading = readingOf(span);
  const { values } = reading;
  const kind = kindOf(reading, span);
  const name = nameOf(kind, values) ?? span.name;
  const counted = counting.has(kind);
  const model = values.model !== undefined && hasAtMost(values.model, maxLabel) ? values.model : null;
  const content = contentOf(kind, reading, span.status === "ERROR");
  const { shown, aside } = leftOver(span.attributes, kind, name, reading, content.kept);
  return {
    span_id: spanUuid(span.traceId, span.spanId),
    parent_span_id: span.parentSpanId === null ? null : spanUuid(span.traceId, span.parentSpanId),
    name: firstCharacters(name, maxName) || "unnamed",
    kind,
    status: span.status,
    input: content.input,
    output: content.output,
    model,
    token_usage: counted ? values.usage : undefined,
    cost: counted ? values.cost : undefined,
    model_parameters: content.parameters,
    started_at: span.startedAt,
    ended_at: span.endedAt,
    completion_start_time: firstTokenAt(span, values),
    error: failureText(span, values.failure),
    metadata: {
      ...shown,
      "otel.span_id": span.spanId,
      [telemetryKeys.resource]: resource,
      ...given({
        "otel.name": name === span.name && hasAtMost(name, maxName) ? "" : span.name,
        "otel.kind": span.kind,
        "otel.status_message": span.statusMessage,
        "otel.scope": given({ ...span.scope }),
        "otel.events": eventsOf(span),
        "otel.links": span.links,
        "otel.attributes": aside,
        "otel.others": span.others,
        "otel.usage": counted ? null : (values.usage ?? null),
        "otel.cost": counted ? null : (values.cost ?? null),
        "otel.model": model === null ? (values.model ?? null) : null,
        "otel.tool_name": values.toolName === name ? null : (values.toolName ?? null),
        "otel.tags": values.tags ?? null,
        [telemetryKeys.traceName]: values.traceName === undefined ? null : firstCharacters(values.traceName, maxName),
        [telemetryKeys.environment]: values.environment ?? null,
        [telemetryKeys.release]: values.release ?? null,
        "otel.ms_to_first_token": values.firstToken ?? null,
        [telemetryKeys.session]: values.session ?? null,
        [telemetryKeys.user]: values.user ?? null,
        [telemetryKeys.remoteParent]: span.parentIsRemote ? true : null,
      }),
    },
  };
};
