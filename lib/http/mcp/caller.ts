import type { APIGatewayProxyEvent } from "aws-lambda";
import { isAllowedOrigin } from "../../contract/cross-origin.ts";
import { Refusal } from "../../domain/refusal.ts";
import { headerValues } from "../event.ts";

/** Headers of a request that say who calls and about which project. */
const callerHeaderNames = [
  "X-API-Key",
  "Authorization",
  "X-Project-Name",
  "X-Project-ID",
  "X-Organization-ID",
  "traceparent",
];

/** Returns the headers of a request that calls on its behalf have too, with the request's id, which joins their log lines. */
export const callerHeaders = (event: APIGatewayProxyEvent, requestId: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    callerHeaderNames.flatMap((name) => {
      const values = headerValues(event, name);
      return values.length === 0 ? [] : [[name, values.join(", ")]];
    }),
  ),
  "X-Request-ID": requestId,
});

/**
 * Refuses requests of pages of other origins. Programs send no `Origin`; a page that has had its name resolved to this address
 * (DNS rebinding) sends its own.
 *
 * @throws Refusal `forbidden`.
 */
export const requireKnownOrigin = (event: APIGatewayProxyEvent, origins: readonly string[]): void => {
  if (headerValues(event, "Origin").every((origin) => isAllowedOrigin(origins, origin))) return;
  throw new Refusal({ kind: "forbidden", detail: "Pages of this origin may not call this service." });
};
