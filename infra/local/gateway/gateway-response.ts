import { type Context, parameterValue, substitute } from "./template-text.ts";

/** Gateway responses (replies that API Gateway generates without an integration) with their default status and message. */
const defaults = {
  ACCESS_DENIED: { status: 403, message: "User is not authorized to access this resource" },
  API_CONFIGURATION_ERROR: { status: 500, message: "Internal server error" },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, message: "Internal server error" },
  BAD_REQUEST_BODY: { status: 400, message: "Bad Request" },
  DEFAULT_4XX: { status: 400, message: "Bad Request" },
  DEFAULT_5XX: { status: 502, message: "Internal server error" },
  INTEGRATION_TIMEOUT: { status: 504, message: "Endpoint request timed out" },
  INVALID_API_KEY: { status: 403, message: "Forbidden" },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: "Missing Authentication Token" },
  REQUEST_TOO_LARGE: { status: 413, message: "Request Too Long" },
  THROTTLED: { status: 429, message: "Too Many Requests" },
  UNAUTHORIZED: { status: 401, message: "Unauthorized" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "Unsupported Media Type" },
} as const satisfies Record<string, { status: number; message: string }>;

/** Type of a gateway response, such as `THROTTLED`. */
export type GatewayResponseType = keyof typeof defaults;

/** A complete HTTP reply. */
export interface GatewayReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array;
}

/**
 * Returns the headers of a reply over plain HTTP, which must not have HSTS (RFC 6797, 7.2): behind a proxy with TLS on `localhost` browsers
 * would refuse plain HTTP on every port of that name.
 *
 * @param headers names in lower case
 */
export const plainHttpHeaders = (headers: GatewayReply["headers"]): GatewayReply["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "strict-transport-security"));

/** Thrown while a request is processed, to answer with a gateway response instead of an integration. */
export class GatewayFault extends Error {
  readonly type: GatewayResponseType;
  /** The authorizer's context for the refused caller; gateway responses can include its values. */
  readonly authorizer: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(type: GatewayResponseType, authorizer: Readonly<Record<string, string>> = {}, status?: number) {
    super(defaults[type].message);
    this.type = type;
    this.authorizer = authorizer;
    this.status = status ?? defaults[type].status;
  }
}

interface ResponseCustomization {
  readonly status: number | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly templates: Readonly<Record<string, string>>;
}

/** The API's customized gateway responses by type. */
export type GatewayResponses = ReadonlyMap<string, ResponseCustomization>;

const parseCustomization = (status: unknown, parameters: unknown, templates: unknown): ResponseCustomization => ({
  status: status === undefined || status === "" ? undefined : Number(status),
  parameters: (parameters ?? {}) as Readonly<Record<string, string>>,
  templates: (templates ?? {}) as Readonly<Record<string, string>>,
});

/** Reads gateway responses from the OpenAPI body (by type) and from `AWS::ApiGateway::GatewayResponse` resources. */
export const gatewayResponses = (
  inBody: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  resources: readonly Readonly<Record<string, unknown>>[],
): GatewayResponses =>
  new Map([
    ...Object.entries(inBody).map(
      ([type, { statusCode, responseParameters, responseTemplates }]) =>
        [type, parseCustomization(statusCode, responseParameters, responseTemplates)] as const,
    ),
    ...resources.map(
      ({ ResponseType, StatusCode, ResponseParameters, ResponseTemplates }) =>
        [String(ResponseType), parseCustomization(StatusCode, ResponseParameters, ResponseTemplates)] as const,
    ),
  ]);

const headerPrefix = "gatewayresponse.header.";

/** Builds the reply to a fault from the gateway response of its type, else from `DEFAULT_4XX` or `DEFAULT_5XX`. */
export const replyTo = (fault: GatewayFault, responses: GatewayResponses, context: Context): GatewayReply => {
  const customization = responses.get(fault.type) ?? responses.get(fault.status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX");
  const error = { message: fault.message, messageString: JSON.stringify(fault.message), responseType: fault.type };
  const values = { ...context, authorizer: fault.authorizer, error };
  const [template] = Object.entries(customization?.templates ?? {});
  const [contentType, text] = template ?? ["application/json", '{"message":$context.error.messageString}'];
  const parameters = Object.entries(customization?.parameters ?? {}).map(([name, value]) => [
    name.slice(headerPrefix.length).toLowerCase(),
    parameterValue(value, values),
  ]);
  return {
    status: customization?.status ?? fault.status,
    headers: {
      "content-type": contentType,
      "x-amzn-errortype": fault.type,
      ...(Object.fromEntries(parameters) as Record<string, string>),
    },
    body: substitute(text, values),
  };
};
