import { gzipSync } from "node:zlib";
import { getDocs } from "../../../lib/contract/openapi/documentation.ts";
import { listPrices } from "../../../lib/contract/traces/prices.ts";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { differences } from "../differences.ts";
import { passUnless, type Check } from "../check.ts";
import { gatewayRefusal, refusalProblems } from "../refusals.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const compressedBody: Check = {
  title: "A gzip body is accepted, a body in an unsupported encoding is refused with 415",
  run: async ({ project }) => {
    const trace = sampleTrace(newTag("gzip"));
    const bytes = JSON.stringify(trace);
    const post = (body: Uint8Array, encoding: string) =>
      project.call(createTrace, { bytes: body, headers: { "Content-Encoding": encoding } });
    const compressed = gzipSync(bytes);
    const gzipReply = await post(compressed, "gzip");
    const brotliReply = await post(compressed, "br");
    const storedTrace = await project.call(getTrace, { params: { trace_id: trace.trace_id } });
    return passUnless(
      [
        ...(gzipReply.status === 202 ? differences(trace, storedTrace.body) : [`gzip answered ${gzipReply.status}`]),
        ...refusalProblems("br", brotliReply, gatewayRefusal("UNSUPPORTED_MEDIA_TYPE", 415)),
      ],
      `${compressed.length} bytes in gzip for ${bytes.length} read back as sent, br is a 415`,
    );
  },
};

/** Routes with the `Accept-Encoding` to send: JSON that the gateway compresses, and pages that a function compresses. */
const acceptedEncodings = [
  [listPrices, "gzip"],
  [listPrices, "gzip, deflate, br"],
  [getDocs, "gzip"],
  [getDocs, "br"],
] as const;

export const compressedReply: Check = {
  title: "Replies are compressed by the gateway and by functions and have an ETag, and replies to HEAD have no body",
  run: async ({ project }) => {
    const problems: string[] = [];
    const sizes: string[] = [];
    for (const [route, accepted] of acceptedEncodings) {
      const plain = await project.call(route);
      const compressed = await project.call(route, { headers: { "Accept-Encoding": accepted } });
      const coding = compressed.headers["content-encoding"];
      const name = `${route.path} for ${accepted}`;
      if (coding !== accepted.split(",")[0]) problems.push(`${name} has the content coding ${coding ?? "none"}`);
      if (compressed.text !== plain.text) problems.push(`${name} differs from the uncompressed text`);
      sizes.push(`${name}: ${compressed.bytes.length} of ${plain.bytes.length} bytes`);
    }
    for (const route of [listPrices, getDocs]) {
      const { headers } = await project.call(route);
      const conditional = await project.call(route, { headers: { "If-None-Match": headers.etag ?? "" } });
      const head = await project.send({ method: "HEAD", path: route.path, hasOwnConnection: true });
      if (conditional.status !== 304 || conditional.bytes.length > 0)
        problems.push(
          `${route.path} with If-None-Match answered ${conditional.status} with ${conditional.bytes.length} bytes`,
        );
      if (head.status !== 200 || head.headers.etag !== headers.etag)
        problems.push(`HEAD ${route.path} answered ${head.status} with the ETag ${head.headers.etag}`);
    }
    return passUnless(problems, sizes.join("; "));
  },
};
