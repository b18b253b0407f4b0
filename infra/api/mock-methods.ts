import { multipartType } from "../../lib/contract/langsmith/runs.ts";
import { originPattern, preflightHeaders } from "../../lib/contract/cross-origin.ts";
import { securityHeaders } from "../../lib/contract/route.ts";
import { protobufType } from "../../lib/contract/otlp/fields.ts";
import { errorBody, type GatewayReplyOptions, gatewayHeaders } from "./gateway-responses.ts";

/** A reply of a mock integration, which the gateway sends without a function. */
interface MockReply {
  readonly status: number;
  /** Headers with a fixed value. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers by name, their values expressions of the mapping template, evaluated after `statements`. */
  readonly computed: Readonly<Record<string, string>>;
  readonly statements?: string;
  readonly body: string;
}

const headerDirective = (name: string, expression: string): string =>
  `#set($context.responseOverride.header.${name} = ${expression})\n`;

/**
 * Returns the mapping template of a mock reply, which the stack's template holds once for all paths with the same methods. A method
 * need not declare a header that its template sets (API Gateway's guide, "Override your API's request and response parameters").
 */
const templateOf = ({ statements = "", headers = {}, computed, body }: MockReply): string =>
  [
    statements,
    ...Object.entries(headers).map(([name, value]) => headerDirective(name, `'${value}'`)),
    ...Object.entries(computed).map(([name, expression]) => headerDirective(name, expression)),
    body,
  ].join("");

/** @param bodyTypes media types of bodies, which the method ignores; the gateway answers 415 to others. */
const mockMethod = (
  mock: MockReply,
  { shareText = (text) => text }: GatewayReplyOptions,
  bodyTypes: readonly string[] = ["application/json"],
) => ({
  // OpenAPI requires a description, which nobody reads here.
  responses: { [mock.status]: { description: "" } },
  "x-amazon-apigateway-integration": {
    type: "mock",
    // Mapping templates need the body as text.
    contentHandling: "CONVERT_TO_TEXT",
    passthroughBehavior: "never",
    requestTemplates: Object.fromEntries(bodyTypes.map((type) => [type, JSON.stringify({ statusCode: mock.status })])),
    responses: {
      default: {
        statusCode: String(mock.status),
        // A client that accepts one of the API's binary types first, such as JSON, would get the text decoded from base64.
        contentHandling: "CONVERT_TO_TEXT",
        responseTemplates: { "application/json": shareText(templateOf(mock)) },
      },
    },
  },
});

const requestId = { "X-Request-ID": "$context.requestId" };

/** Returns the 405 reply for undefined methods of a path with a detail, without CORS headers: after a preflight, browsers send only defined methods. */
export const methodNotAllowed = (methods: readonly string[], detail: string, replyOptions: GatewayReplyOptions) =>
  mockMethod(
    {
      status: 405,
      headers: { Allow: methods.join(", "), ...gatewayHeaders(replyOptions) },
      computed: requestId,
      body: errorBody(detail, "method_not_allowed", replyOptions.address),
    },
    replyOptions,
  );

/** Media types of what clients send to wrong addresses: JSON, forms and protobuf. */
const sentTypes = ["application/json", multipartType, protobufType];

/** Media types of gRPC, which only exporters send, to the address of their service. */
const grpcTypes = ["application/grpc", "application/grpc+proto"];

/**
 * Returns the 404 reply of a path that is not served.
 *
 * @param detail sentence for the client.
 * @param isGrpc true for the address of a gRPC service.
 */
export const notServed = (detail: string, isGrpc: boolean, replyOptions: GatewayReplyOptions) =>
  mockMethod(
    {
      status: 404,
      headers: gatewayHeaders(replyOptions),
      computed: requestId,
      body: errorBody(detail, "not_found", replyOptions.address),
    },
    replyOptions,
    isGrpc ? [...sentTypes, ...grpcTypes] : sentTypes,
  );

/**
 * Returns a redirect from the API's root to a path of the API.
 *
 * The root is requested as `/dev`, as `/dev/`, or as `/` behind a custom domain. A relative URL would lose the stage in the first
 * case, so the target is the request's path plus `path`, without a doubled slash.
 */
export const redirectTo = (path: string, replyOptions: GatewayReplyOptions) =>
  mockMethod(
    {
      status: 302,
      headers: gatewayHeaders(replyOptions),
      statements: `#set($target = "$context.path${path}")\n`,
      computed: { ...requestId, Location: '$target.replace("//", "/")' },
      body: "",
    },
    replyOptions,
  );

const allowOrigin = "Access-Control-Allow-Origin";

/** Template statements that read the request's `Origin`; the gateway keeps the sent case, and HTTP/2 clients send lower case. */
const originOfRequest = [
  '#set($origin = $input.params().header.get("Origin"))',
  '#if(!$origin || $origin == "")#set($origin = $input.params().header.get("origin"))#end',
].join("\n");

/** Returns the CORS preflight reply of a path; without `Access-Control-Allow-Origin` if the origin is not allowed. */
export const preflight = (methods: readonly string[], replyOptions: GatewayReplyOptions) =>
  mockMethod(
    {
      status: 204,
      headers: { ...securityHeaders, ...preflightHeaders(methods) },
      computed: requestId,
      statements:
        `${originOfRequest}\n#if($origin.matches("${originPattern(replyOptions.origins)}"))` +
        `#set($context.responseOverride.header.${allowOrigin} = $origin)#end\n`,
      body: "",
    },
    replyOptions,
  );
