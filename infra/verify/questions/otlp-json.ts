import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/span-ids.ts";
import { jsonExport, newExport } from "../otlp-export.ts";
import { differences } from "../differences.ts";
import { judged, type Question } from "../question.ts";

export const otlpJson: Question = {
  title: "OpenTelemetry's spans in JSON are a trace",
  ask: async ({ project }) => {
    const span = newExport();
    const reply = await project.answer(exportTraces, { body: jsonExport(span) });
    const read = await project.answer(getTrace, { params: { trace_id: traceUuid(span.traceId) } });
    const expected = { name: span.name, status: "COMPLETED", spans: [{ name: span.name }] };
    return judged(
      [
        ...(Object.keys(reply).length === 0 ? [] : [`it was answered ${JSON.stringify(reply)}`]),
        ...differences(expected, read),
      ],
      `answered {}, read as ${read.trace_id}`,
    );
  },
};
