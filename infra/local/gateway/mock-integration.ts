import type { Integration } from "./api-definition.ts";
import { GatewayFault, type GatewayReply } from "./gateway-response.ts";
import { mapTemplate, type RequestHeaders } from "./mapping-template.ts";
import { type Context, parameterValue } from "./template-text.ts";

const headerPrefix = "method.response.header.";

const jsonTemplate = (templates: Readonly<Record<string, string>> | undefined): string | undefined =>
  templates?.["application/json"] ?? Object.values(templates ?? {})[0];

/**
 * Builds the reply of a mock integration: the request template contains the status code, which selects the response.
 *
 * Not supported: selection of a template by content type, and everything that `mapTemplate` does not support.
 */
export const mockReply = (
  { requestTemplates, responses = {} }: Integration,
  context: Context,
  requestHeaders: RequestHeaders = {},
): GatewayReply => {
  const status = /"statusCode"\s*:\s*"?(\d+)/.exec(jsonTemplate(requestTemplates) ?? "")?.[1] ?? "";
  const matchingResponse =
    Object.entries(responses).find(
      ([pattern]) => pattern !== "default" && new RegExp(`^(?:${pattern})$`).test(status),
    ) ?? Object.entries(responses).find(([pattern]) => pattern === "default");
  if (matchingResponse === undefined) throw new GatewayFault("DEFAULT_5XX", {}, 500);
  const [, { statusCode, responseParameters = {}, responseTemplates }] = matchingResponse;
  const headers = Object.entries(responseParameters).map(([name, value]) => [
    name.slice(headerPrefix.length).toLowerCase(),
    parameterValue(value, context),
  ]);
  const templateResult = mapTemplate(jsonTemplate(responseTemplates) ?? "", context, requestHeaders);
  return {
    status: Number(statusCode),
    headers: {
      "content-type": "application/json",
      ...(Object.fromEntries(headers) as Record<string, string>),
      ...templateResult.headers,
    },
    body: templateResult.body,
  };
};
