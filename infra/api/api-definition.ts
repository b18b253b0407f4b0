import { Fn } from "aws-cdk-lib";
import { getDocs } from "../../lib/contract/openapi/documentation.ts";
import { lineTypes } from "../../lib/contract/datasets/line-types.ts";
import { multipartType } from "../../lib/contract/langsmith/runs.ts";
import { protobufType } from "../../lib/contract/otlp/fields.ts";
import { gatewayPath, allowedMethods, type Route } from "../../lib/contract/route.ts";
import { methodDetail, unservedPaths, type UnservedPath } from "./unserved-paths.ts";
import { type GatewayReplyOptions, gatewayResponses, stageAddress } from "./gateway-responses.ts";
import { methodNotAllowed, notServed, preflight, redirectTo } from "./mock-methods.ts";

/** Logical id of a function, and ARN of the role through which the gateway calls it. */
export interface Invocation {
  readonly functionId: string;
  readonly roleArn: string;
}

export interface ApiDefinitionProps {
  readonly title: string;
  readonly version: string;
  readonly routes: readonly Route[];
  readonly invocation: (route: Route) => Invocation;
  readonly authorizer: Invocation;
  /** Base URL at which clients reach the API; the stage's own URL when absent. */
  readonly address?: string;
  /** Requests a second that each route accepts from all clients together. */
  readonly requestsPerSecond: number;
  /** Origins whose pages may call the API (CORS); none when absent. */
  readonly origins?: readonly string[];
  /** Returns a template reference that replaces a text common to many replies, so that the template holds the text once. */
  readonly shareText?: NonNullable<GatewayReplyOptions["shareText"]>;
}

/** API Gateway's time limit for replies that are not streamed, in seconds. */
const integrationCeiling = 29;

/** Returns the integration URI of a function. Every method has a URI, and this is the shortest form of a reference in it. */
const functionUri = (functionId: string, version: string, call: string): string =>
  Fn.sub(
    `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${version}/functions/\${${functionId}.Arn}/${call}`,
  );

const integration = (route: Route, { functionId, roleArn }: Invocation) => ({
  type: "aws_proxy",
  httpMethod: "POST",
  credentials: roleArn,
  // Without a limit the gateway's ceiling holds.
  ...(route.timeout !== undefined && route.timeout < integrationCeiling && { timeoutInMillis: route.timeout * 1_000 }),
  ...(route.streams
    ? {
        uri: functionUri(functionId, "2021-11-15", "response-streaming-invocations"),
        responseTransferMode: "STREAM",
      }
    : { uri: functionUri(functionId, "2015-03-31", "invocations") }),
});

/** Returns the security of a route: the authorizer and an API key, without which the gateway would ignore the usage plan. */
const security = (route: Route) => (route.access === "public" ? [] : [{ auth: [], key: [] }]);

/**
 * Returns the operation of a route. Like those that AWS SAM generates, it has neither path parameters nor replies: a proxy integration
 * passes all parameters and returns any reply.
 */
const operation = (route: Route, invocation: Invocation) => ({
  responses: {},
  security: security(route),
  "x-amazon-apigateway-integration": integration(route, invocation),
});

/** Returns the mock methods of a path: CORS preflight if origins are allowed, and 405 for undefined methods. */
const fallbackMethods = (path: string, methods: readonly string[], replyOptions: GatewayReplyOptions) => {
  const hasOrigins = replyOptions.origins.length > 0;
  return {
    ...(hasOrigins && { options: preflight(methods, replyOptions) }),
    "x-amazon-apigateway-any-method": methodNotAllowed(
      hasOrigins ? [...methods, "OPTIONS"] : methods,
      methodDetail(path),
      replyOptions,
    ),
  };
};

/** Returns the gateway methods of a route; a GET route also answers HEAD with the same function. */
const methodsOf = (route: Route, invocation: Invocation) => ({
  [route.method.toLowerCase()]: operation(route, invocation),
  ...(route.method === "GET" && { head: operation(route, invocation) }),
});

const pathItem = (
  path: string,
  routes: readonly Route[],
  invocation: ApiDefinitionProps["invocation"],
  replyOptions: GatewayReplyOptions,
) => ({
  ...Object.assign({}, ...routes.map((route) => methodsOf(route, invocation(route)))),
  ...fallbackMethods(path, allowedMethods(routes), replyOptions),
});

/** Returns the root path, which redirects to the documentation without a function. */
const root = (replyOptions: GatewayReplyOptions) => ({
  get: redirectTo(getDocs.path, replyOptions),
  head: redirectTo(getDocs.path, replyOptions),
  "x-amazon-apigateway-any-method": methodNotAllowed(["GET", "HEAD"], methodDetail("/"), replyOptions),
});

/** Returns the methods of a path that is not served: all answer 404 without a function. */
const unserved = ({ path, detail }: UnservedPath, replyOptions: GatewayReplyOptions) => ({
  "x-amazon-apigateway-any-method": notServed(detail, path.startsWith("/opentelemetry.proto."), replyOptions),
});

const pathsOf = (
  routes: readonly Route[],
  invocation: ApiDefinitionProps["invocation"],
  replyOptions: GatewayReplyOptions,
): Readonly<Record<string, object>> => ({
  "/": root(replyOptions),
  ...Object.fromEntries(unservedPaths.map((each) => [each.path, unserved(each, replyOptions)])),
  ...Object.fromEntries(
    [...Map.groupBy(routes, gatewayPath)].map(([path, group]) => [
      path,
      pathItem(path, group, invocation, replyOptions),
    ]),
  ),
});

/** Returns the Lambda authorizer, without caching: a cache needs identity sources, and the gateway refuses requests that lack one. */
const authorizerScheme = ({ functionId, roleArn }: Invocation) => ({
  type: "apiKey",
  name: "Unused",
  in: "header",
  "x-amazon-apigateway-authtype": "custom",
  "x-amazon-apigateway-authorizer": {
    type: "request",
    authorizerUri: functionUri(functionId, "2015-03-31", "invocations"),
    authorizerCredentials: roleArn,
    authorizerResultTtlInSeconds: 0,
  },
});

/**
 * Returns the routes as the subset of OpenAPI 3.0 that API Gateway imports: paths, integrations and security. The public
 * OpenAPI document is separate.
 */
export const apiDefinition = ({
  title,
  version,
  routes,
  invocation,
  authorizer,
  address = stageAddress,
  requestsPerSecond,
  origins = [],
  shareText = (text) => text,
}: ApiDefinitionProps) => ({
  openapi: "3.0.1",
  info: { title, version },
  "x-amazon-apigateway-api-key-source": "AUTHORIZER",
  // Text bodies would lose invalid UTF-8 before a handler could refuse it, and would be escaped in the event, where a body
  // of quotes exceeds Lambda's 6 MB.
  "x-amazon-apigateway-binary-media-types": ["application/json", protobufType, multipartType, ...lineTypes],
  "x-amazon-apigateway-gateway-responses": gatewayResponses({ address, requestsPerSecond, origins, shareText }),
  components: {
    securitySchemes: {
      // Short names: each operation has them.
      auth: authorizerScheme(authorizer),
      key: { type: "apiKey", name: "x-api-key", in: "header" },
    },
  },
  paths: pathsOf(routes, invocation, { address, requestsPerSecond, origins, shareText }),
});
