import type { APIGatewayProxyEvent } from "aws-lambda";
import { invalid } from "../domain/refusal.ts";
import { canonicalUuid, uuidPattern } from "../domain/text.ts";
import { traceparentForm } from "../log-context.ts";

/** Returns the distinct values of a request header; the name is case-insensitive. */
export const headerValues = (event: APIGatewayProxyEvent, name: string): readonly string[] => {
  const lowerCaseName = name.toLowerCase();
  const values = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === lowerCaseName)
    .flatMap(([, headerItems]) => headerItems ?? []);
  return [...new Set(values)];
};

/** Returns the media type of a request's body, in lower case and without parameters; empty if the header is absent. */
export const mediaTypeOf = (event: APIGatewayProxyEvent): string =>
  (headerValues(event, "Content-Type")[0] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

/** Returns the one item of a list such as `a, a`, which clients make of a header that they send twice; other text as it is, trimmed. */
const repeatedItem = (text: string): string => {
  const [item = "", ...otherItems] = text.split(",").map((each) => each.trim());
  return otherItems.every((each) => each === item) ? item : text.trim();
};

/**
 * Returns the single value of a header, trimmed; null when absent or empty. A header of the project that contains the API key counts
 * as absent: some generated clients send one key in all headers of the document's `apiKey` schemes.
 *
 * @throws Refusal `invalid` when values differ.
 */
export const optionalHeader = (event: APIGatewayProxyEvent, name: string): string | null => {
  const keys = name.startsWith("X-Project-") ? headerValues(event, "X-API-Key") : [];
  const values = new Set(
    headerValues(event, name)
      .filter((value) => !keys.includes(value))
      .map(repeatedItem),
  );
  const [value, ...otherValues] = [...values].filter((each) => each !== "");
  if (otherValues.length > 0) throw invalid(["header", name], "Header should be given once", "header_invalid");
  return value ?? null;
};

/** Returns the UUID in a header value, in lower case. @throws Refusal `invalid` when the value is no UUID. */
export const uuidHeader = (name: string, value: string): string => {
  if (!uuidPattern.test(value)) throw invalid(["header", name], "Input should be a valid UUID", "uuid_parsing");
  return canonicalUuid(value);
};

const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's `X-Request-ID` (1 to 128 letters, digits, `.`, `_`, `-`), or API Gateway's request id if it is absent or malformed. */
export const requestIdOf = (event: APIGatewayProxyEvent): string => {
  const requestId = headerValues(event, "X-Request-ID")[0];
  return requestId !== undefined && requestIdForm.test(requestId) ? requestId : event.requestContext.requestId;
};

/** Returns the client's W3C trace context; undefined when the header is absent, repeated or malformed, which is not an error. */
export const traceparentOf = (event: APIGatewayProxyEvent): string | undefined => {
  const [value, ...otherValues] = headerValues(event, "traceparent");
  return value !== undefined && otherValues.length === 0 && traceparentForm.test(value) ? value : undefined;
};

/** Host name or IP address with an optional port. Other `Host` values are ignored: documentation shows the URL in shell commands. */
const hostForm = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

const originOf = (event: APIGatewayProxyEvent): string => {
  const [host = ""] = headerValues(event, "Host");
  const scheme = headerValues(event, "X-Forwarded-Proto")[0] === "http" ? "http" : "https";
  return `${scheme}://${hostForm.test(host) ? host : (event.requestContext.domainName ?? "")}`;
};

/** Returns the URL of a request without its query. */
export const requestUrl = (event: APIGatewayProxyEvent): string => `${originOf(event)}${event.requestContext.path}`;

/** Returns the stage or base path before the path of the requested route. */
const stagePrefix = ({ resource, requestContext: { path } }: APIGatewayProxyEvent): string =>
  path
    .split("/")
    .slice(0, 1 - resource.split("/").length)
    .join("/");

/**
 * Returns the base URL of the service as the client addressed it: scheme, host, and the stage or base path before the
 * path of the requested route, without a trailing slash. One function may serve routes of different length.
 */
export const serviceUrlOf = (event: APIGatewayProxyEvent): string => `${originOf(event)}${stagePrefix(event)}`;

/**
 * Returns the base URL of the service by API Gateway's own domain name, to which a function may send a credential: a client chooses
 * the `Host` header. The local runtime's domain name has a port, and speaks plain HTTP.
 */
export const gatewayUrlOf = (event: APIGatewayProxyEvent): string => {
  const { domainName = "" } = event.requestContext;
  return `${domainName.startsWith("127.0.0.1:") ? "http" : "https"}://${domainName}${stagePrefix(event)}`;
};
