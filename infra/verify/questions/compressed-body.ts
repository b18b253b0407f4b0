import { gzipSync } from "node:zlib";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { differences } from "../differences.ts";
import { judged, type Question } from "../question.ts";
import { gatewayRefusal, misfits } from "../refusals.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const compressedBody: Question = {
  title: "A body in gzip is read, one in an encoding that is not known is a 415",
  ask: async ({ project }) => {
    const trace = sampleTrace(newTag("gzip"));
    const bytes = JSON.stringify(trace);
    const post = (body: Uint8Array, encoding: string) =>
      project.call(createTrace, { bytes: body, headers: { "Content-Encoding": encoding } });
    const packed = gzipSync(bytes);
    const taken = await post(packed, "gzip");
    const unknown = await post(packed, "br");
    const read = await project.call(getTrace, { params: { trace_id: trace.trace_id } });
    return judged(
      [
        ...(taken.status === 202 ? differences(trace, read.body) : [`gzip answered ${taken.status}`]),
        ...misfits("br", unknown, gatewayRefusal("UNSUPPORTED_MEDIA_TYPE", 415)),
      ],
      `${packed.length} bytes in gzip for ${bytes.length} read back as sent, br is a 415`,
    );
  },
};
