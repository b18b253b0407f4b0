import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { protobufType } from "../../../lib/contract/otlp/fields.ts";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { newExport, protobufExport } from "../otlp-export.ts";
import { differences } from "../differences.ts";
import { passUnless, type Check } from "../check.ts";

/** Encodes a `google.rpc.Status` in protobuf: code 3 (INVALID_ARGUMENT) and the message. */
const refusalOf = (text: string): Buffer =>
  Buffer.concat([Buffer.of(0x08, 3, 0x12, text.length), Buffer.from(text, "latin1")]);

export const otlpProtobuf: Check = {
  title:
    "OpenTelemetry spans in protobuf are stored as a trace, and a malformed message is refused with a protobuf reply",
  run: async ({ project }) => {
    const span = newExport();
    const message = protobufExport(span);
    const headers = { "Content-Type": protobufType };
    const accepted = await project.call(exportTraces, { bytes: message, headers });
    const broken = await project.call(exportTraces, { bytes: message.subarray(0, -1), headers });
    const trace = await project.call(getTrace, { params: { trace_id: traceUuid(span.traceId) } });
    const isRefused = broken.status === 400 && broken.bytes.equals(refusalOf("body: The message ends too early."));
    const isAccepted =
      accepted.status === 200 && accepted.bytes.length === 0 && accepted.headers["content-type"] === protobufType;
    return passUnless(
      [
        ...(isAccepted
          ? []
          : [`${message.length} bytes were answered ${accepted.status}, ${accepted.bytes.length} bytes`]),
        ...(isRefused ? [] : [`a truncated message was answered ${broken.status} ${broken.bytes.toString("hex")}`]),
        ...differences({ name: span.name, spans: [{ name: span.name }] }, trace.body),
      ],
      `${message.length} bytes: 200; truncated by a byte: 400 with a google.rpc.Status`,
    );
  },
};
