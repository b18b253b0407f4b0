import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { readSpan, type SpanReading } from "../../conventions/precedence.ts";
import { presentEntries, type JsonObject } from "../../domain/json.ts";
import type { TelemetryNotes } from "../../domain/telemetry-notes.ts";
import type { IdentifiedTrace } from "../../domain/traces/input.ts";
import { setFieldsMetadata, setMetadata } from "../../domain/traces/parts/set-fields.ts";
import { maxProvenanceCharacters } from "../../domain/traces/provenance.ts";
import { isTelemetryKey, maxLabelCharacters, telemetryKeys } from "../../domain/traces/telemetry.ts";
import { traceContentOf } from "./span-attributes.ts";

/** Maximum characters of the name of a trace. */
export const maxName = 512;

/** Fields of a trace that a client has set apart from its spans, with the metadata that names them. */
export interface TraceSettings {
  readonly fields: Partial<Omit<IdentifiedTrace, "trace_id" | "metadata" | "spans" | "tags">>;
  readonly metadata: JsonObject;
  readonly tags: readonly string[];
}

/** Returns the metadata by which a span names the experiment of its trace. @param cut shortens the text of a field to its limit. */
export const experimentLabels = (
  { experiment, experimentId, experimentItem, dataset }: SpanReading["values"],
  cut: (field: string, text: string | undefined, characters: number) => string | null,
) => ({
  [telemetryKeys.experiment]: cut("experiment", experiment, maxProvenanceCharacters),
  [telemetryKeys.experimentId]: cut("experiment", experimentId, maxProvenanceCharacters),
  [telemetryKeys.experimentItem]: cut("experiment_item_id", experimentItem, maxProvenanceCharacters),
  [telemetryKeys.dataset]: cut("dataset", dataset, maxProvenanceCharacters),
});

/** Reads the fields of a trace from attributes that describe it. @param span carries the attributes, and is no span of the trace. */
export const traceSettingsOf = (span: ExportedSpan, cut: TelemetryNotes["cut"]): TraceSettings => {
  const reading = readSpan(span);
  const { values } = reading;
  const content = traceContentOf(reading);
  // An empty text sets no label.
  const label = (field: string, value: string | undefined, characters = maxLabelCharacters): string | null =>
    cut(field, value ?? "", characters) || null;
  const fields = presentEntries({
    name: label("trace name", values.traceName, maxName),
    input: content[telemetryKeys.traceInput],
    output: content[telemetryKeys.traceOutput],
    session_id: label("session_id", values.session),
    user_id: label("user_id", values.user),
    environment: label("environment", values.environment),
    release: label("release", values.release),
  });
  // What no field takes is kept too, and keys of OpenTelemetry itself under another name.
  const others = Object.entries(presentEntries(span.attributes)).filter(
    ([key, value]) => value !== "" && !reading.usedKeys.has(key),
  );
  const metadata = Object.fromEntries(
    [...Object.entries(values.traceMetadata ?? {}), ...others].map(([key, value]) => [
      isTelemetryKey(key) ? `metadata.${key}` : key,
      value,
    ]),
  );
  const names = [...Object.keys(fields), ...Object.keys(metadata).map((key) => setMetadata + key)];
  return {
    fields,
    metadata: {
      ...metadata,
      ...presentEntries(experimentLabels(values, label)),
      ...setFieldsMetadata(names, span.startedAt),
    },
    tags: values.tags ?? [],
  };
};
