import { randomUUID } from "node:crypto";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { judged, type Question } from "../question.ts";

export const requestId: Question = {
  title: "A request's own X-Request-ID comes back",
  ask: async ({ project }) => {
    const headers = { "X-Request-ID": `verify.${randomUUID()}` };
    const replies = [
      await project.call(listTraces, { headers }),
      await project.call(getTrace, { params: { trace_id: randomUUID() }, headers }),
      await project.call(createTrace, { bytes: "{}", headers }),
    ];
    const lost = replies.filter((reply) => reply.headers["x-request-id"] !== headers["X-Request-ID"]);
    return judged(
      lost.map(({ status, headers: got }) => `a ${status} came with ${String(got["x-request-id"])}`),
      `on ${replies.map(({ status }) => status).join(", ")}`,
    );
  },
};
