import type { Integration } from "./api-definition.ts";
import { GatewayFault, type Reply } from "./gateway-response.ts";
import { mapTemplate, type SentHeaders } from "./mapping-template.ts";
import { type Context, parameterValue } from "./template-text.ts";

const headerPrefix = "method.response.header.";

const firstOf = (templates: Readonly<Record<string, string>> | undefined): string | undefined =>
  templates?.["application/json"] ?? Object.values(templates ?? {})[0];

/**
 * Answers a mock integration: its request template names a status, its responses say what that status looks like.
 *
 * Does not do: choice of a template by content type, and what `mapTemplate` does not.
 */
export const mockReply = (
  { requestTemplates, responses = {} }: Integration,
  context: Context,
  sent: SentHeaders = {},
): Reply => {
  const status = /"statusCode"\s*:\s*"?(\d+)/.exec(firstOf(requestTemplates) ?? "")?.[1] ?? "";
  const chosen =
    Object.entries(responses).find(
      ([pattern]) => pattern !== "default" && new RegExp(`^(?:${pattern})$`).test(status),
    ) ?? Object.entries(responses).find(([pattern]) => pattern === "default");
  if (chosen === undefined) throw new GatewayFault("DEFAULT_5XX", {}, 500);
  const [, { statusCode, responseParameters = {}, responseTemplates }] = chosen;
  const headers = Object.entries(responseParameters).map(([name, value]) => [
    name.slice(headerPrefix.length).toLowerCase(),
    parameterValue(value, context),
  ]);
  const mapped = mapTemplate(firstOf(responseTemplates) ?? "", context, sent);
  return {
    status: Number(statusCode),
    headers: {
      "content-type": "application/json",
      ...(Object.fromEntries(headers) as Record<string, string>),
      ...mapped.headers,
    },
    body: mapped.body,
  };
};
