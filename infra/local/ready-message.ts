import type { Credentials } from "./credentials.ts";
import { curl } from "./curl.ts";

/** What the message tells of a service that is ready. */
export interface Ready {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly bearerToken: string;
  readonly directory: string;
  readonly judgeModel: string;
  /** Whether calls of this machine without a credential are taken for the developer's. */
  readonly noSignIn?: boolean;
  readonly now: Date;
}

const noSignInWords = `

  NO SIGN-IN: whoever reaches this port from this machine without a credential is the developer, and may do everything.`;

/** What `npm start` prints once it is ready: where everything is, and calls to copy. */
export const readyMessage = ({
  baseUrl,
  credentials,
  bearerToken,
  directory,
  judgeModel,
  noSignIn = false,
  now,
}: Ready): string => {
  const { apiKey, projectName, projectId, organizationId } = credentials;
  const caller = { baseUrl, apiKey, projectName };
  const trace = {
    trace_id: "00000000-0000-4000-8000-000000000001",
    name: "greeting",
    started_at: now.toISOString(),
    input: "Hello?",
    output: "Hello!",
  };
  return `
Assay is ready at ${baseUrl}   (data and logs in ${directory}, judge ${judgeModel})${noSignIn ? noSignInWords : ""}

  Console        ${baseUrl}/console#token=${bearerToken}&project=${projectId}
  Documentation  ${baseUrl}/docs
  API key        ${apiKey}
  Project        ${projectName} (${projectId})
  Organization   ${organizationId}
  Bearer token   ${bearerToken}

Store a trace:

  ${curl(caller, "/traces", trace)}

Evaluate it (the reply's id leads to its scores: /evaluations/trace-runs/<id>/scores):

  ${curl(caller, "/evaluations/trace-runs", { metrics: ["task_completion", "tool_correctness"] })}

Or send OpenTelemetry, from any program that is instrumented:

  export OTEL_EXPORTER_OTLP_ENDPOINT=${baseUrl}
  export OTEL_EXPORTER_OTLP_HEADERS=X-API-Key=${apiKey},X-Project-Name=${projectName}

In a second terminal:

  npm run demo                                  traces of three agents, evaluated, in the same project
  npm run -s token -- --email mia@example.com   another person's bearer token, to invite her and give her a role

Ctrl-C stops it; npm start -- --fresh begins again with no data.
`;
};
