import { allowedMethods } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { passUnless, type Check } from "../check.ts";
import { refusalProblems } from "../refusals.ts";

const allowedAt = (path: string): string => allowedMethods(routes.filter((route) => route.path === path)).join(", ");

/** Requests with an unsupported method. Some have a body, because API Gateway handles JSON as binary, which its templates cannot read. */
const wrongRequests = [
  ["PUT", "/traces", "{}"],
  ["POST", "/health", undefined],
  ["PATCH", "/evaluations/trace-runs", "{}"],
] as const;

export const wrongMethod: Check = {
  title: "An unsupported method answers 405 with the header Allow",
  run: async ({ project, anonymous }) => {
    const problems: string[] = [];
    for (const [method, path, bytes] of wrongRequests)
      for (const caller of [project, anonymous]) {
        const headers = { "Content-Type": "application/json" };
        const reply = await caller.send({ method, path, headers, bytes });
        const refusal = {
          status: 405,
          code: "method_not_allowed" as const,
          body: { detail: "Method Not Allowed" },
          // Deployments that allow other origins also answer OPTIONS (CORS preflight).
          headers: {
            Allow: allowedAt(path) + (reply.headers.allow?.endsWith(", OPTIONS") === true ? ", OPTIONS" : ""),
          },
        };
        problems.push(...refusalProblems(`${method} ${path}`, reply, refusal));
      }
    return passUnless(
      problems,
      wrongRequests.map(([method, path]) => `${method} ${path}: Allow ${allowedAt(path)}`).join("; "),
    );
  },
};
