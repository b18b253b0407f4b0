import { extname } from "node:path";
import { getConsole, getConsoleAsset } from "../../../lib/contract/service.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { environmentConsoleIssuers, withIssuerOrigins, withIssuers } from "../../../lib/wiring/console-issuers.ts";
import { environmentOpenGuard } from "../../../lib/wiring/access-guards.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

/** Document of the console and texts of its files by name, inserted when the handlers are bundled. */
declare const CONSOLE_FILES: { readonly page: string; readonly assets: Readonly<Record<string, string>> };

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

const issuers = environmentConsoleIssuers();
const page = new FixedText(withIssuers(CONSOLE_FILES.page, issuers), {
  "Content-Security-Policy": withIssuerOrigins(getConsole.headers["Content-Security-Policy"], issuers),
});
const assets = new Map(
  Object.entries(CONSOLE_FILES.assets).map(([name, text]) => [
    name,
    new FixedText(text, {
      ...getConsoleAsset.headers,
      "Content-Type": mediaTypes[extname(name)] ?? "application/octet-stream",
    }),
  ]),
);

/** Handles `/console`, its alias `/cli-login`, and `/console/assets/{file}`. */
export const handler = endpoint(getConsole, environmentOpenGuard(), async ({ event: { pathParameters } }) => {
  const name = pathParameters?.["file"];
  if (name === undefined) return page;
  const asset = assets.get(name);
  if (asset === undefined)
    throw notFound("Unknown file of the console. Reload the console, which may have a newer version.");
  return asset;
});
