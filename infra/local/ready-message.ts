import type { Credentials } from "./credentials.ts";
import { curl } from "./curl.ts";

/** Values in the message that `npm start` prints when the service is ready. */
export interface ReadyMessageValues {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly bearerToken: string;
  /** Address of the console that signs in once. */
  readonly consoleAddress: string;
  readonly directory: string;
  readonly judgeModel: string;
  /** True if requests from this machine without a credential act as the developer. */
  readonly noSignIn?: boolean;
  readonly now: Date;
}

const noSignInWarning = `

  NO SIGN-IN: every program and every user of this machine may call without a credential and acts as the developer, with all
  permissions. Refused without a credential: requests that a proxy or tunnel forwards, and pages of other origins.`;

/** Formats the message of `npm start` when the service is ready: addresses, credentials and curl commands to copy. */
export const readyMessage = ({
  baseUrl,
  credentials,
  bearerToken,
  consoleAddress,
  directory,
  judgeModel,
  noSignIn = false,
  now,
}: ReadyMessageValues): string => {
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
Assay is ready at ${baseUrl}   (data and logs in ${directory}, judge ${judgeModel})${noSignIn ? noSignInWarning : ""}

  Console        ${consoleAddress}   (signs in once; the next address is shown here)
  Documentation  ${baseUrl}/docs
  API key        ${apiKey}
  Project        ${projectName} (${projectId})
  Organization   ${organizationId}
  Bearer token   ${bearerToken}

Store a trace:

  ${curl(caller, "/traces", trace)}

Evaluate it (read the scores with the id in the reply: GET /evaluations/trace-runs/<id>/scores):

  ${curl(caller, "/evaluations/trace-runs", { metrics: ["task_completion", "tool_correctness"] })}

Or send OpenTelemetry traces from any instrumented program:

  export OTEL_EXPORTER_OTLP_ENDPOINT=${baseUrl} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
  export OTEL_EXPORTER_OTLP_HEADERS=X-API-Key=${apiKey},X-Project-Name=${projectName}

In a second terminal:

  npm run demo                                  stores traces of three agents in the same project and evaluates them
  npm run -s token -- --email mia@example.com   prints a bearer token of another user, to test invitations and roles

Ctrl-C stops the service; npm start -- --fresh deletes all local data first.
`;
};
