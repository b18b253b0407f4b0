import { isDeepStrictEqual } from "node:util";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { traceUuid } from "../../../lib/otlp/span-ids.ts";
import { jsonExport, newExport } from "../otlp-export.ts";
import { differences } from "../differences.ts";
import { judged, type Question } from "../question.ts";

export const otlpJson: Question = {
  title: "OpenTelemetry's spans in JSON are a trace",
  ask: async ({ project }) => {
    const span = newExport();
    const { status, text, body } = await project.call(exportTraces, { body: jsonExport(span) });
    const read = await project.client.getTrace({ path: { trace_id: traceUuid(span.traceId) } });
    const expected = { name: span.name, status: "COMPLETED", spans: [{ name: span.name }] };
    return judged(
      [
        ...(status === 200 && isDeepStrictEqual(body, {}) ? [] : [`it was answered ${text}`]),
        ...differences(expected, read),
      ],
      `answered {}, read as ${read.trace_id}`,
    );
  },
};
