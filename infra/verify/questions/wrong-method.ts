import { methodsAt } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { judged, type Question } from "../question.ts";
import { misfits } from "../refusals.ts";

const allowedAt = (path: string): string => methodsAt(routes.filter((route) => route.path === path)).join(", ");

/** With a body too: to the gateway JSON is binary, and its templates see text only. */
const asked = [
  ["PUT", "/traces", "{}"],
  ["POST", "/health", undefined],
  ["PATCH", "/evaluations/trace-runs", "{}"],
] as const;

export const wrongMethod: Question = {
  title: "A method that a path does not have is a 405 with Allow",
  ask: async ({ project, nobody }) => {
    const found: string[] = [];
    for (const [method, path, bytes] of asked)
      for (const caller of [project, nobody]) {
        const headers = { "Content-Type": "application/json" };
        const reply = await caller.send({ method, path, headers, bytes });
        const refusal = {
          status: 405,
          code: "method_not_allowed" as const,
          body: { detail: "Method Not Allowed" },
          // Where pages of other origins may call, browsers ask first.
          headers: {
            Allow: allowedAt(path) + (reply.headers.allow?.endsWith(", OPTIONS") === true ? ", OPTIONS" : ""),
          },
        };
        found.push(...misfits(`${method} ${path}`, reply, refusal));
      }
    return judged(found, asked.map(([method, path]) => `${method} ${path}: Allow ${allowedAt(path)}`).join("; "));
  },
};
