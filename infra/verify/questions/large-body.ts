import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { judged, type Question } from "../question.ts";
import { gatewayRefusal, misfits } from "../refusals.ts";

const mebibyte = 1024 * 1024;

export const largeBody: Question = {
  title: "A body beyond the service's 4 MiB, and one beyond the gateway's 10 MB, is a 413",
  ask: async ({ project }) => {
    // Whoever answers before the body has come may end the connection.
    const post = (size: number) => project.call(createTrace, { bytes: Buffer.alloc(size, " "), alone: true });
    const ours = await post(4 * mebibyte + 1);
    const theirs = await post(10 * mebibyte + 1);
    return judged(
      [
        ...misfits("4 MiB and a byte", ours, {
          status: 413,
          code: "too_large",
          body: { detail: "The body is larger than 4 MiB." },
        }),
        ...misfits("10 MiB and a byte", theirs, gatewayRefusal("REQUEST_TOO_LARGE", 413)),
      ],
      "4 MiB and a byte by the function, 10 MiB and a byte by the gateway",
    );
  },
};
