import { randomBytes } from "node:crypto";

/** An OpenTelemetry span; ids in hexadecimal, times in epoch nanoseconds. */
interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly start: bigint;
  readonly end: bigint;
}

/** Creates a span that is a complete trace. */
export const newExport = (): ExportedSpan => {
  const start = BigInt(Date.now() - 60_000) * 1_000_000n;
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, name: "Grüße from OpenTelemetry", start, end: start + 1_500_000_000n };
};

/** Encodes a span as an OTLP `ExportTraceServiceRequest` in JSON. */
export const jsonExport = ({ traceId, spanId, name, start, end }: ExportedSpan) => ({
  resourceSpans: [
    {
      scopeSpans: [
        { spans: [{ traceId, spanId, name, startTimeUnixNano: String(start), endTimeUnixNano: String(end) }] },
      ],
    },
  ],
});

/** Encodes a protobuf field of bytes, which must be shorter than 128 bytes. */
const delimited = (field: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(field * 8 + 2, bytes.length), bytes]);

const fixed64 = (field: number, value: bigint): Buffer => {
  const bytes = Buffer.alloc(9, field * 8 + 1);
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
};

/** Encodes a span as an OTLP `ExportTraceServiceRequest` in protobuf: resource spans (field 1), scope spans (2), spans (2). */
export const protobufExport = ({ traceId, spanId, name, start, end }: ExportedSpan): Buffer => {
  const span = Buffer.concat([
    delimited(1, Buffer.from(traceId, "hex")),
    delimited(2, Buffer.from(spanId, "hex")),
    delimited(5, Buffer.from(name)),
    fixed64(7, start),
    fixed64(8, end),
  ]);
  return delimited(1, delimited(2, delimited(2, span)));
};
