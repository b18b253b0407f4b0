import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { protobufType } from "../../../lib/contract/otlp/fields.ts";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/span-ids.ts";
import { newExport, protobufExport } from "../otlp-export.ts";
import { differences } from "../differences.ts";
import { judged, type Question } from "../question.ts";

/** `google.rpc.Status`: code 3, INVALID_ARGUMENT, then the text. */
const refusalOf = (text: string): Buffer =>
  Buffer.concat([Buffer.of(0x08, 3, 0x12, text.length), Buffer.from(text, "latin1")]);

export const otlpProtobuf: Question = {
  title: "OpenTelemetry's spans in protobuf are a trace, and a broken message is refused in protobuf",
  ask: async ({ project }) => {
    const span = newExport();
    const message = protobufExport(span);
    const headers = { "Content-Type": protobufType };
    const taken = await project.call(exportTraces, { bytes: message, headers });
    const broken = await project.call(exportTraces, { bytes: message.subarray(0, -1), headers });
    const read = await project.call(getTrace, { params: { trace_id: traceUuid(span.traceId) } });
    const refused = broken.status === 400 && broken.bytes.equals(refusalOf("body: The message ends too early."));
    const answered = taken.status === 200 && taken.bytes.length === 0 && taken.headers["content-type"] === protobufType;
    return judged(
      [
        ...(answered ? [] : [`${message.length} bytes were answered ${taken.status}, ${taken.bytes.length} bytes`]),
        ...(refused ? [] : [`a message cut short was answered ${broken.status} ${broken.bytes.toString("hex")}`]),
        ...differences({ name: span.name, spans: [{ name: span.name }] }, read.body),
      ],
      `${message.length} bytes: 200; a byte less: 400 with a google.rpc.Status`,
    );
  },
};
