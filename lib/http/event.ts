import type { APIGatewayProxyEvent } from "aws-lambda";

/** Returns the distinct values of a request header; the name is case-insensitive. */
export const headerValues = (event: APIGatewayProxyEvent, name: string): readonly string[] => {
  const lowerCaseName = name.toLowerCase();
  const values = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === lowerCaseName)
    .flatMap(([, headerItems]) => headerItems ?? []);
  return [...new Set(values)];
};

const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's `X-Request-ID` (1 to 128 letters, digits, `.`, `_`, `-`), or API Gateway's request id if it is absent or malformed. */
export const requestIdOf = (event: APIGatewayProxyEvent): string => {
  const requestId = headerValues(event, "X-Request-ID")[0];
  return requestId !== undefined && requestIdForm.test(requestId) ? requestId : event.requestContext.requestId;
};
