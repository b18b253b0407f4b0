import { isObject, type Json } from "../../json.ts";
import type { Masker } from "../../masking/masker.ts";
import { restrictedTo, stepInto, type PathNode } from "../../masking/path.ts";
import { maskEntries, maskField, maskRecord, type FieldForm, type MaskMetadata } from "../../masking/record.ts";
import type { SpanInput, SpanUpdate, TraceInput, TraceUpdate } from "../input.ts";
import { logEventKeys } from "../log-events.ts";
import { isTelemetryKey, telemetryKeys } from "../telemetry.ts";
import type { Span, Trace } from "../trace.ts";

/** Fields of a trace that have texts of its program; ids of traces and spans, states and times are not masked. */
const traceForms = {
  name: 512,
  input: "value",
  output: "value",
  metadata: "metadata",
  session_id: "id",
  user_id: "id",
  tags: "texts",
  environment: 255,
  release: 255,
} as const satisfies Partial<Record<keyof Trace, FieldForm>>;

const spanForms = {
  name: 512,
  input: "value",
  output: "value",
  model: 255,
  token_usage: "usage",
  metadata: "metadata",
  error: Number.MAX_SAFE_INTEGER,
  model_parameters: "entries",
  cost: "usage",
} as const satisfies Partial<Record<keyof Span, FieldForm>>;

/** Metadata keys with which telemetry has a field of the trace or of the span, and names of these in a log event. */
const [keysOfTrace, keysOfSpan]: readonly [
  Readonly<Record<string, keyof typeof traceForms>>,
  Readonly<Record<string, keyof typeof spanForms>>,
] = [
  {
    [telemetryKeys.session]: "session_id",
    [telemetryKeys.user]: "user_id",
    [telemetryKeys.traceName]: "name",
    [telemetryKeys.traceInput]: "input",
    [telemetryKeys.traceOutput]: "output",
    [telemetryKeys.environment]: "environment",
    [telemetryKeys.release]: "release",
    "otel.tags": "tags",
    session: "session_id",
    user: "user_id",
  },
  {
    "otel.name": "name",
    "otel.model": "model",
    "otel.cost": "cost",
    "otel.status_message": "error",
    input: "input",
    output: "output",
    usage: "token_usage",
  },
];

/** Log events with a message each. */
const messageLists: Readonly<Record<string, "input" | "output">> = { asked: "input", answered: "output" };

const spanIdForm = /^[0-9a-f]{16}$/;

/** Fields of a trace that are often copies of its spans', and theirs of its: a path to one leads to the other too. */
const copiedFields = ["input", "output"];

/** Returns the places of a trace and of its spans in the tree of the paths. */
const nodesOf = ({ paths }: Masker) => {
  const spanPaths = stepInto(stepInto(paths, "spans"), "*");
  return {
    traceNodes: [...paths, ...restrictedTo(spanPaths, copiedFields)],
    spanNodes: [...spanPaths, ...restrictedTo(paths, copiedFields)],
  };
};

/** Returns the masker of metadata of a trace, or of its spans: entries of telemetry have fields of these, and are needed to merge spans. */
const telemetryMasker = (masker: Masker, { traceNodes, spanNodes }: ReturnType<typeof nodesOf>): MaskMetadata => {
  const asField = (key: string, value: Json): Json | undefined => {
    const [ofTrace, ofSpan] = [keysOfTrace[key], keysOfSpan[key]];
    if (ofTrace !== undefined)
      return maskField(masker, ofTrace, traceForms[ofTrace], value, stepInto(traceNodes, ofTrace));
    return ofSpan && maskField(masker, ofSpan, spanForms[ofSpan], value, stepInto(spanNodes, ofSpan));
  };
  const inEvent = (key: string, value: Json): Json => {
    const field = messageLists[key];
    if (field === undefined || !Array.isArray(value)) return asField(key, value) ?? masker.value(value);
    const nodes = stepInto(spanNodes, field);
    return value.map((message: Json, at) => {
      const rule = masker.ruleOf(field, nodes);
      return rule === null ? masker.value(message, stepInto(nodes, String(at))) : masker.markOf(rule);
    });
  };
  const ofTelemetry = (key: string, value: Json, nodes: readonly PathNode[]): Json => {
    if (key === "otel.span_id" && typeof value === "string" && spanIdForm.test(value)) return value;
    // The order of a span's parts, by the names of its fields.
    if (key === "otel.ranks" && isObject(value)) return masker.entries(value, (_, rank) => rank);
    if (key === logEventKeys.events && Array.isArray(value))
      return value.map((event: Json) => (isObject(event) ? masker.entries(event, inEvent) : masker.value(event)));
    return asField(key, value) ?? masker.value(value, stepInto(nodes, key));
  };
  return (metadata, nodes, rule) => {
    const ofProgram = maskEntries(masker, nodes, rule);
    return masker.entries(metadata, (key, value) =>
      isTelemetryKey(key) ? ofTelemetry(key, value, nodes) : ofProgram(key, value),
    );
  };
};

/** Masks a span as it was sent, or a change of one. */
export const maskSpan = <Item extends SpanInput | SpanUpdate>(masker: Masker, span: Item): Item => {
  const nodes = nodesOf(masker);
  return maskRecord(masker, span, spanForms, nodes.spanNodes, telemetryMasker(masker, nodes));
};

/** Masks a trace as it was sent with its spans, or a change of one. */
export const maskTrace = <Item extends TraceInput | TraceUpdate>(masker: Masker, trace: Item): Item => {
  const nodes = nodesOf(masker);
  const masked = maskRecord(masker, trace, traceForms, nodes.traceNodes, telemetryMasker(masker, nodes));
  return "spans" in masked && masked.spans !== undefined
    ? { ...masked, spans: masked.spans.map((span) => maskSpan(masker, span)) }
    : masked;
};

/** Masks tags of a trace. */
export const maskTags = (masker: Masker, tags: readonly string[]): readonly string[] =>
  maskTrace(masker, { tags }).tags ?? [];
