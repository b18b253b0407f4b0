import * as v from "valibot";
import { replyInstant } from "./schema/fields.ts";
import { pageHeaders, route } from "./route.ts";

const health = v.pipe(
  v.object({
    status: v.literal("healthy"),
    version: v.pipe(v.string(), v.description("Version of the build.")),
    commit: v.pipe(
      v.string(),
      v.description("Commit hash of the build, `<hash>-dirty` if it had uncommitted changes, or `unknown`."),
    ),
    environment: v.string(),
    timestamp: replyInstant,
  }),
  v.title("Health"),
  v.examples([
    {
      status: "healthy",
      version: "1.0.0",
      commit: "6f1b7c0e5d2a48f39c1e7b6a0d4f8e2c5b9a3d17",
      environment: "prod",
      timestamp: "2026-11-21T09:00:00.125000+00:00",
    },
  ]),
);

export const getHealth = route({
  id: "getHealth",
  method: "GET",
  path: "/health",
  handler: "api/service/get-health",
  summary: "Check the service's health",
  access: "public",
  success: 200,
  reply: health,
  grants: {},
  memory: 256,
});

/** Alias of `getHealth` at the path that Langfuse's SDKs call. */
export const getHealthLangfuse = route({
  ...getHealth,
  id: "getHealthLangfuse",
  path: "/api/public/health",
  answeredBy: getHealth.id,
  summary: "Check health for Langfuse's SDKs",
});

/**
 * Content security policy of the console: its own scripts and style sheet, requests to its own origin, and images stored in
 * traces as data URLs, which cause no request. It forbids text that is read as markup.
 */
const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export const getConsole = route({
  id: "getConsole",
  method: "GET",
  path: "/console",
  handler: "api/service/get-console",
  summary: "Open the web console",
  description:
    "Returns the web console for traces and evaluations, a single page that calls only this service and signs in with an API key or a bearer token.",
  access: "public",
  success: 200,
  reply: v.string(),
  media: "text/html; charset=utf-8",
  headers: { ...pageHeaders, "Cache-Control": "no-cache", "Content-Security-Policy": consolePolicy },
  // The handler adds the origins of sign-in issuers.
  settingHeaders: ["Content-Security-Policy"],
  grants: {},
  streams: true,
  memory: 256,
});

/** Alias of `getConsole` at the path that command lines open in a browser to sign in. */
export const getCliLogin = route({
  ...getConsole,
  id: "getCliLogin",
  path: "/cli-login",
  answeredBy: getConsole.id,
  summary: "Open the command-line sign-in page",
  description:
    "Returns the console page that asks the user to sign a command line in, with `port`, `state`, `code_challenge`, " +
    "`code_challenge_method=S256`, `label` and `cli_version` in the query, which only the page reads. The page redirects to " +
    "`http://127.0.0.1:{port}/callback?code=...&state=...`, or with `error=access_denied` if the user declines.",
});

/** Route of the files that the console's document loads, served by the same function as `getConsole`. */
export const getConsoleAsset = route({
  ...getConsole,
  id: "getConsoleAsset",
  path: "/console/assets/{file}",
  answeredBy: getConsole.id,
  isPageOnly: true,
  summary: "Get a file of the console",
  params: v.object({
    file: v.pipe(v.string(), v.description("Name of a script or style sheet, with a hash of its text.")),
  }),
  // A changed text has another name.
  headers: { "Cache-Control": "public, max-age=31536000, immutable" },
});
