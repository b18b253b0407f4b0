import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import { headerValues } from "./event.ts";

/** A name or an address, with or without a port. Readers paste it into a shell: what else a client may send is not believed. */
const hostForm = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

const originOf = (event: APIGatewayProxyEvent): string => {
  const [host = ""] = headerValues(event, "Host");
  const scheme = headerValues(event, "X-Forwarded-Proto")[0] === "http" ? "http" : "https";
  return `${scheme}://${hostForm.test(host) ? host : (event.requestContext.domainName ?? "")}`;
};

/** The address that was asked for, without its query. */
export const addressOf = (event: APIGatewayProxyEvent): string => `${originOf(event)}${event.requestContext.path}`;

/**
 * Where the caller reached the service: scheme, host, and the stage or base path before the route's own path, without a
 * slash at the end.
 */
export const serviceUrlOf = (event: APIGatewayProxyEvent, { path }: Route): string => {
  const ownSegments = path.split("/").length - 1;
  const prefix = event.requestContext.path.split("/").slice(0, -ownSegments).join("/");
  return `${originOf(event)}${prefix}`;
};
