import { randomUUID } from "node:crypto";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { passUnless, type Check } from "../check.ts";

export const requestId: Check = {
  title: "A reply has the X-Request-ID of its request",
  run: async ({ project }) => {
    const headers = { "X-Request-ID": `verify.${randomUUID()}` };
    const replies = [
      await project.call(listTraces, { headers }),
      await project.call(getTrace, { params: { trace_id: randomUUID() }, headers }),
      await project.call(createTrace, { bytes: "{}", headers }),
    ];
    const replaced = replies.filter((reply) => reply.headers["x-request-id"] !== headers["X-Request-ID"]);
    return passUnless(
      replaced.map(
        ({ status, headers: replyHeaders }) => `a ${status} reply has ${String(replyHeaders["x-request-id"])}`,
      ),
      `on ${replies.map(({ status }) => status).join(", ")}`,
    );
  },
};
