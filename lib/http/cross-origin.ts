import type { APIGatewayProxyEvent } from "aws-lambda";
import { exposedHeaders, isAllowed } from "../contract/cross-origin.ts";
import { headerValues } from "./event.ts";

/**
 * The headers by which a browser lets a page read a reply: there where pages may call at all, and where the page's origin is
 * one of those that may.
 *
 * @param origins as the operator lists them.
 */
export const crossOriginHeaders = (event: APIGatewayProxyEvent, origins: readonly string[]): Record<string, string> => {
  if (origins.length === 0) return {};
  const origin = headerValues(event, "Origin")[0];
  const allowed = origin !== undefined && isAllowed(origins, origin);
  // A cache must not give one page what was answered to another.
  return { Vary: "Origin", ...(allowed && { "Access-Control-Allow-Origin": origin, ...exposedHeaders }) };
};
