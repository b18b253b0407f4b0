import type { APIGatewayProxyEvent } from "aws-lambda";

/** All values a header was sent with; names in any case. */
export const headerValues = (event: APIGatewayProxyEvent, name: string): readonly string[] => {
  const wanted = name.toLowerCase();
  const values = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === wanted)
    .flatMap(([, sent]) => sent ?? []);
  return [...new Set(values)];
};

const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's request id where it has the form of one, and the gateway's otherwise. */
export const requestIdOf = (event: APIGatewayProxyEvent): string => {
  const sent = headerValues(event, "X-Request-ID")[0];
  return sent !== undefined && requestIdForm.test(sent) ? sent : event.requestContext.requestId;
};
