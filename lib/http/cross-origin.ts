import type { APIGatewayProxyEvent } from "aws-lambda";
import { exposedHeaders, isAllowedOrigin } from "../contract/cross-origin.ts";
import { headerValues } from "./event.ts";

/**
 * Returns the CORS headers of a reply: none without configured origins, and `Access-Control-Allow-Origin` only for an
 * allowed origin.
 *
 * @param origins allowed browser origins from the deployment's settings.
 */
export const crossOriginHeaders = (event: APIGatewayProxyEvent, origins: readonly string[]): Record<string, string> => {
  if (origins.length === 0) return {};
  const origin = headerValues(event, "Origin")[0];
  const allowed = origin !== undefined && isAllowedOrigin(origins, origin);
  // `Vary` keeps a cache from serving the reply to a page of another origin.
  return { Vary: "Origin", ...(allowed && { "Access-Control-Allow-Origin": origin, ...exposedHeaders }) };
};
