import * as v from "valibot";
import { replyInstant } from "./fields.ts";
import { route } from "./route.ts";

const health = v.pipe(
  v.object({
    status: v.literal("healthy"),
    version: v.string(),
    environment: v.string(),
    timestamp: replyInstant,
  }),
  v.title("Health"),
  v.examples([
    { status: "healthy", version: "0.1.0", environment: "prod", timestamp: "2026-11-21T09:00:00.125000+00:00" },
  ]),
);

export const getHealth = route({
  id: "getHealth",
  method: "GET",
  path: "/health",
  handler: "api/service/get-health",
  summary: "Whether the service answers",
  access: "public",
  success: 200,
  reply: health,
  grants: {},
  memory: 256,
});

/** The same where Langfuse's SDKs ask it. */
export const getHealthLangfuse = route({
  ...getHealth,
  id: "getHealthLangfuse",
  path: "/api/public/health",
  answeredBy: getHealth.id,
  summary: "Whether the service answers, where Langfuse's SDKs ask it",
});

export const getConsole = route({
  id: "getConsole",
  method: "GET",
  path: "/console",
  handler: "api/service/get-console",
  summary: "The console: look at traces and what was found of them",
  description: "One page that asks this service, and nobody else, for all it shows; it signs in with a key or a token.",
  access: "public",
  success: 200,
  reply: v.string(),
  media: "text/html; charset=utf-8",
  headers: { "Cache-Control": "no-cache", "Content-Security-Policy": "frame-ancestors 'none'" },
  grants: {},
  streams: true,
  memory: 256,
});

/** The console where command lines open it to be signed in. */
export const getCliLogin = route({
  ...getConsole,
  id: "getCliLogin",
  path: "/cli-login",
  answeredBy: getConsole.id,
  summary: "The console where a command line opens it: its page that asks whether to sign the command line in",
  description:
    "For `port`, `state`, `code_challenge`, `code_challenge_method=S256`, `label` and `cli_version` of the query. Whoever agrees is led to " +
    "`http://127.0.0.1:{port}/callback?code=...&state=...`, whoever does not with `error=access_denied`. Nothing of the query is read here.",
});
