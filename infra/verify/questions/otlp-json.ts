import { isDeepStrictEqual } from "node:util";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { jsonExport, newExport } from "../otlp-export.ts";
import { differences } from "../differences.ts";
import { passUnless, type Check } from "../check.ts";

export const otlpJson: Check = {
  title: "OpenTelemetry spans in JSON are stored as a trace",
  run: async ({ project }) => {
    const span = newExport();
    const { status, text, body } = await project.call(exportTraces, { body: jsonExport(span) });
    const trace = await project.client.getTrace({ path: { trace_id: traceUuid(span.traceId) } });
    const expected = { name: span.name, status: "COMPLETED", spans: [{ name: span.name }] };
    return passUnless(
      [
        ...(status === 200 && isDeepStrictEqual(body, {}) ? [] : [`the reply was ${text}`]),
        ...differences(expected, trace),
      ],
      `answered {}, read as ${trace.trace_id}`,
    );
  },
};
