import { gzipSync } from "node:zlib";
import { getDocs } from "../../../lib/contract/openapi/documentation.ts";
import { listPrices } from "../../../lib/contract/traces/prices.ts";
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

/** What the gateway compresses, and what a function does. */
const asked = [
  [listPrices, "gzip"],
  [listPrices, "gzip, deflate, br"],
  [getDocs, "gzip"],
  [getDocs, "br"],
] as const;

export const compressedReply: Question = {
  title: "Replies are compressed by the gateway and by functions, tagged, and a HEAD is answered without a body",
  ask: async ({ project }) => {
    const found: string[] = [];
    const seen: string[] = [];
    for (const [route, accepted] of asked) {
      const plain = await project.call(route);
      const packed = await project.call(route, { headers: { "Accept-Encoding": accepted } });
      const coding = packed.headers["content-encoding"];
      const name = `${route.path} for ${accepted}`;
      if (coding !== accepted.split(",")[0]) found.push(`${name} came as ${coding ?? "it is"}`);
      if (packed.text !== plain.text) found.push(`${name} is another text`);
      seen.push(`${name}: ${packed.bytes.length} of ${plain.bytes.length} bytes`);
    }
    for (const route of [listPrices, getDocs]) {
      const { headers } = await project.call(route);
      const again = await project.call(route, { headers: { "If-None-Match": headers.etag ?? "" } });
      const head = await project.send({ method: "HEAD", path: route.path, alone: true });
      if (again.status !== 304 || again.bytes.length > 0)
        found.push(`${route.path} was answered ${again.status} to who has it, with ${again.bytes.length} bytes`);
      if (head.status !== 200 || head.headers.etag !== headers.etag)
        found.push(`HEAD ${route.path} was answered ${head.status} with the tag ${head.headers.etag}`);
    }
    return judged(found, seen.join("; "));
  },
};
