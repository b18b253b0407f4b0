import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { passUnless, type Check } from "../check.ts";
import { gatewayRefusal, refusalProblems } from "../refusals.ts";

const mebibyte = 1024 * 1024;

export const largeBody: Check = {
  title: "A body above the service's 4 MiB or the gateway's 10 MiB is refused with 413",
  run: async ({ project }) => {
    // A server that answers before it has read the body may close the connection.
    const post = (size: number) =>
      project.call(createTrace, { bytes: Buffer.alloc(size, " "), hasOwnConnection: true });
    const functionReply = await post(4 * mebibyte + 1);
    const gatewayReply = await post(10 * mebibyte + 1);
    return passUnless(
      [
        ...refusalProblems("4 MiB and a byte", functionReply, {
          status: 413,
          code: "too_large",
          body: { detail: "The body is larger than 4 MiB." },
        }),
        ...refusalProblems("10 MiB and a byte", gatewayReply, gatewayRefusal("REQUEST_TOO_LARGE", 413)),
      ],
      "4 MiB + 1 byte refused by the function, 10 MiB + 1 byte by the gateway",
    );
  },
};
