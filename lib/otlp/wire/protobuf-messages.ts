/**
 * Type of a protobuf field: a scalar, an enum with the names of its numbers, or a nested message. `hex` is a byte field that OTLP writes
 * as hex digits in JSON.
 */
export type FieldKind =
  | "text"
  | "bool"
  | "int64"
  | "uint32"
  | "fixed64"
  | "fixed32"
  | "double"
  | "bytes"
  | "hex"
  | readonly string[]
  | (() => ProtobufMessage);

/** Definition of a protobuf field: its name in OTLP's JSON, its type, and `"repeated"` for a list. */
export type ProtobufField = readonly [name: string, kind: FieldKind, repeated?: "repeated"];

/** Definition of a protobuf message: its fields by field number. */
export type ProtobufMessage = ReadonlyMap<number, ProtobufField>;

const message = (fields: Readonly<Record<number, ProtobufField>>): ProtobufMessage =>
  new Map(Object.entries(fields).map(([number, field]) => [Number(number), field]));

/** Definition of `AnyValue`, the value of an attribute. */
export const anyValue: ProtobufMessage = message({
  1: ["stringValue", "text"],
  2: ["boolValue", "bool"],
  3: ["intValue", "int64"],
  4: ["doubleValue", "double"],
  5: ["arrayValue", () => arrayValue],
  6: ["kvlistValue", () => keyValueList],
  7: ["bytesValue", "bytes"],
});

const keyValue = message({ 1: ["key", "text"], 2: ["value", () => anyValue] });
const arrayValue = message({ 1: ["values", () => anyValue, "repeated"] });
const keyValueList = message({ 1: ["values", () => keyValue, "repeated"] });

const resource = message({
  1: ["attributes", () => keyValue, "repeated"],
  2: ["droppedAttributesCount", "uint32"],
});

const scope = message({
  1: ["name", "text"],
  2: ["version", "text"],
  3: ["attributes", () => keyValue, "repeated"],
  4: ["droppedAttributesCount", "uint32"],
});

const event = message({
  1: ["timeUnixNano", "fixed64"],
  2: ["name", "text"],
  3: ["attributes", () => keyValue, "repeated"],
  4: ["droppedAttributesCount", "uint32"],
});

const link = message({
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  3: ["traceState", "text"],
  4: ["attributes", () => keyValue, "repeated"],
  5: ["droppedAttributesCount", "uint32"],
  6: ["flags", "fixed32"],
});

/** Names of an enum's values as protobuf writes them in JSON. */
const enumOf = (prefix: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `${prefix}_${name}`);

const statusCode = enumOf("STATUS_CODE", "UNSET", "OK", "ERROR");
const spanKind = enumOf("SPAN_KIND", "UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER");

const status = message({ 2: ["message", "text"], 3: ["code", statusCode] });

const span = message({
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  3: ["traceState", "text"],
  4: ["parentSpanId", "hex"],
  5: ["name", "text"],
  6: ["kind", spanKind],
  7: ["startTimeUnixNano", "fixed64"],
  8: ["endTimeUnixNano", "fixed64"],
  9: ["attributes", () => keyValue, "repeated"],
  10: ["droppedAttributesCount", "uint32"],
  11: ["events", () => event, "repeated"],
  12: ["droppedEventsCount", "uint32"],
  13: ["links", () => link, "repeated"],
  14: ["droppedLinksCount", "uint32"],
  15: ["status", () => status],
  16: ["flags", "fixed32"],
});

const scopeSpans = message({
  1: ["scope", () => scope],
  2: ["spans", () => span, "repeated"],
  3: ["schemaUrl", "text"],
});

const resourceSpans = message({
  1: ["resource", () => resource],
  2: ["scopeSpans", () => scopeSpans, "repeated"],
  3: ["schemaUrl", "text"],
  // `instrumentation_library_spans` of OTLP before 0.19.
  1000: ["scopeSpans", () => scopeSpans, "repeated"],
});

const logRecord = message({
  1: ["timeUnixNano", "fixed64"],
  5: ["body", () => anyValue],
  6: ["attributes", () => keyValue, "repeated"],
  9: ["traceId", "hex"],
  10: ["spanId", "hex"],
  11: ["observedTimeUnixNano", "fixed64"],
  12: ["eventName", "text"],
});

const scopeLogs = message({ 1: ["scope", () => scope], 2: ["logRecords", () => logRecord, "repeated"] });

const resourceLogs = message({
  1: ["resource", () => resource],
  2: ["scopeLogs", () => scopeLogs, "repeated"],
  1000: ["scopeLogs", () => scopeLogs, "repeated"],
});

const dataPoint = message({});
const points = message({ 1: ["dataPoints", () => dataPoint, "repeated"] });

const metric = message({
  5: ["gauge", () => points],
  7: ["sum", () => points],
  9: ["histogram", () => points],
  10: ["exponentialHistogram", () => points],
  11: ["summary", () => points],
});

const scopeMetrics = message({ 2: ["metrics", () => metric, "repeated"] });

const resourceMetrics = message({
  2: ["scopeMetrics", () => scopeMetrics, "repeated"],
  1000: ["scopeMetrics", () => scopeMetrics, "repeated"],
});

/** Definition of `ExportLogsServiceRequest` (`collector/logs/v1`), with the fields that are read. */
export const exportLogsServiceRequest = message({ 1: ["resourceLogs", () => resourceLogs, "repeated"] });

/** Definition of `ExportMetricsServiceRequest` (`collector/metrics/v1`), as far as needed to count the data points. */
export const exportMetricsServiceRequest = message({ 1: ["resourceMetrics", () => resourceMetrics, "repeated"] });

/**
 * Definition of `ExportTraceServiceRequest` of opentelemetry-proto 1.x (`collector/trace/v1`), stable since 1.0. Later fields are
 * skipped.
 */
export const exportTraceServiceRequest = message({ 1: ["resourceSpans", () => resourceSpans, "repeated"] });

/** Names of the repeated fields whose elements are rejected one by one. */
export const itemFields: ReadonlySet<string> = new Set(["spans", "logRecords", "dataPoints"]);
