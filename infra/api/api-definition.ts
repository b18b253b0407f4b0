import { Fn } from "aws-cdk-lib";
import { getDocs } from "../../lib/contract/openapi/documentation.ts";
import { protobufType } from "../../lib/contract/otlp/fields.ts";
import { gatewayPath, methodsAt, type Route } from "../../lib/contract/route.ts";
import { type FrontDoor, gatewayResponses, stageAddress } from "./gateway-responses.ts";
import { methodNotAllowed, preflight, redirectTo } from "./mock-methods.ts";

/** ARNs of a function and of the role through which the gateway calls it. */
export interface Invocation {
  readonly functionArn: string;
  readonly roleArn: string;
}

export interface ApiDefinitionProps {
  readonly title: string;
  readonly version: string;
  readonly routes: readonly Route[];
  readonly invocation: (route: Route) => Invocation;
  readonly authorizer: Invocation;
  /** At which clients reach the API; the stage's own when absent. */
  readonly address?: string;
  /** Of all clients, on each route. */
  readonly requestsPerSecond: number;
  /** Origins whose pages may call it; none when absent. */
  readonly origins?: readonly string[];
  /** What stands for a text that many replies have, where it is in the template once. */
  readonly shared?: NonNullable<FrontDoor["shared"]>;
}

/** Seconds: API Gateway's ceiling for a reply that does not stream. */
const integrationCeiling = 29;

/** A substitution is shorter than what is joined of its parts, and there is one for each method. */
const functionUri = (functionArn: string, version: string, call: string): string =>
  Fn.sub(`arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${version}/functions/\${arn}/${call}`, {
    arn: functionArn,
  });

const integration = (route: Route, { functionArn, roleArn }: Invocation) => ({
  type: "aws_proxy",
  httpMethod: "POST",
  credentials: roleArn,
  timeoutInMillis: Math.min(route.timeout ?? integrationCeiling, integrationCeiling) * 1000,
  ...(route.streams
    ? {
        uri: functionUri(functionArn, "2021-11-15", "response-streaming-invocations"),
        responseTransferMode: "STREAM",
      }
    : { uri: functionUri(functionArn, "2015-03-31", "invocations") }),
});

/** Without the API key requirement the gateway would not look at the usage plan. */
const security = (route: Route) => (route.access === "public" ? [] : [{ authorizer: [], usageKey: [] }]);

const pathParameters = (route: Route) =>
  [...gatewayPath(route).matchAll(/\{(\w+)\}/gu)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));

const operation = (route: Route, invocation: Invocation) => ({
  ...(gatewayPath(route).includes("{") && { parameters: pathParameters(route) }),
  responses: { [route.success]: { description: route.summary } },
  security: security(route),
  "x-amazon-apigateway-integration": integration(route, invocation),
});

/** What a path answers by itself: browsers where pages may call it, and methods that it does not have. */
const besides = (methods: readonly string[], door: FrontDoor) => {
  const isOpen = door.origins.length > 0;
  return {
    ...(isOpen && { options: preflight(methods, door) }),
    "x-amazon-apigateway-any-method": methodNotAllowed(isOpen ? [...methods, "OPTIONS"] : methods, door),
  };
};

/** A route's methods: the function behind a GET answers HEAD, too. */
const methodsOf = (route: Route, invocation: Invocation) => ({
  [route.method.toLowerCase()]: { operationId: route.id, ...operation(route, invocation) },
  ...(route.method === "GET" && { head: operation(route, invocation) }),
});

const pathItem = (routes: readonly Route[], invocation: ApiDefinitionProps["invocation"], door: FrontDoor) => ({
  ...Object.assign({}, ...routes.map((route) => methodsOf(route, invocation(route)))),
  ...besides(methodsAt(routes), door),
});

/** The root leads a person to the documentation, without a function of its own. */
const root = (door: FrontDoor) => ({
  get: redirectTo(getDocs.path, door),
  head: redirectTo(getDocs.path, door),
  "x-amazon-apigateway-any-method": methodNotAllowed(["GET", "HEAD"], door),
});

const pathsOf = (
  routes: readonly Route[],
  invocation: ApiDefinitionProps["invocation"],
  door: FrontDoor,
): Readonly<Record<string, object>> => ({
  "/": root(door),
  ...Object.fromEntries(
    [...Map.groupBy(routes, gatewayPath)].map(([path, group]) => [path, pathItem(group, invocation, door)]),
  ),
});

/** An authorizer whose answers are never cached: with optional identity sources the gateway would refuse by itself. */
const authorizerScheme = ({ functionArn, roleArn }: Invocation) => ({
  type: "apiKey",
  name: "Unused",
  in: "header",
  "x-amazon-apigateway-authtype": "custom",
  "x-amazon-apigateway-authorizer": {
    type: "request",
    authorizerUri: functionUri(functionArn, "2015-03-31", "invocations"),
    authorizerCredentials: roleArn,
    authorizerResultTtlInSeconds: 0,
  },
});

/**
 * The routes as the part of OpenAPI 3.0 that API Gateway imports: paths, integrations and security. The document for
 * readers is another one.
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
  shared = (text) => text,
}: ApiDefinitionProps) => ({
  openapi: "3.0.1",
  info: { title, version },
  "x-amazon-apigateway-api-key-source": "AUTHORIZER",
  // As text the gateway would replace what is not UTF-8 before a handler could refuse it, and escape it into the event,
  // where a body of quotes grows beyond Lambda's 6 MB.
  "x-amazon-apigateway-binary-media-types": ["application/json", protobufType],
  "x-amazon-apigateway-gateway-responses": gatewayResponses({ address, requestsPerSecond, origins, shared }),
  components: {
    securitySchemes: {
      authorizer: authorizerScheme(authorizer),
      usageKey: { type: "apiKey", name: "x-api-key", in: "header" },
    },
  },
  paths: pathsOf(routes, invocation, { address, requestsPerSecond, origins, shared }),
});
