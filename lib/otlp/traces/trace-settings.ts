import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { readSpan } from "../../conventions/precedence.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { TelemetryNotes } from "../../domain/telemetry-notes.ts";
import type { IdentifiedTrace } from "../../domain/traces/input.ts";
import { setFieldsMetadata, setMetadata } from "../../domain/traces/parts/set-fields.ts";
import { maxLabelCharacters, telemetryKeys } from "../../domain/traces/telemetry.ts";
import { traceContentOf } from "./span-attributes.ts";

/** Maximum characters of the name of a trace. */
export const maxName = 512;

/** Fields of a trace that a client has set apart from its spans, with the metadata that names them. */
export interface TraceSettings {
  readonly fields: Partial<Omit<IdentifiedTrace, "trace_id" | "metadata" | "spans" | "tags">>;
  readonly metadata: JsonObject;
  readonly tags: readonly string[];
}

/** Removes what is not set: null, and an empty text but as input or output. */
const onlySet = <Value>(entries: Readonly<Record<string, Value | null | undefined>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(entries).filter(
      (entry): entry is [string, Value] =>
        entry[1] !== null &&
        entry[1] !== undefined &&
        (entry[1] !== "" || entry[0] === "input" || entry[0] === "output"),
    ),
  );

/** Reads the fields of a trace from attributes that describe it. @param span carries the attributes, and is no span of the trace. */
export const traceSettingsOf = (span: ExportedSpan, cut: TelemetryNotes["cut"]): TraceSettings => {
  const reading = readSpan(span);
  const { values } = reading;
  const content = traceContentOf(reading);
  const label = (field: string, value: string | undefined): string | null =>
    value === undefined ? null : cut(field, value, maxLabelCharacters);
  const fields = onlySet({
    name: values.traceName === undefined ? null : cut("trace name", values.traceName, maxName),
    input: content[telemetryKeys.traceInput],
    output: content[telemetryKeys.traceOutput],
    session_id: label("session_id", values.session),
    user_id: label("user_id", values.user),
    environment: label("environment", values.environment),
    release: label("release", values.release),
  });
  const metadata = values.traceMetadata ?? {};
  const names = [...Object.keys(fields), ...Object.keys(metadata).map((key) => setMetadata + key)];
  return {
    fields,
    metadata: { ...metadata, ...setFieldsMetadata(names, span.startedAt) },
    tags: values.tags ?? [],
  };
};
