import { stageAddress } from "../../api/gateway-responses.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { type GatewayResponses, gatewayResponses } from "./gateway-response.ts";

/** A method's integration, in the format of the OpenAPI extension `x-amazon-apigateway-integration`. */
export interface Integration {
  readonly type: string;
  readonly uri?: string;
  readonly timeoutInMillis?: number;
  readonly responseTransferMode?: string;
  readonly requestTemplates?: Readonly<Record<string, string>>;
  readonly responses?: Readonly<
    Record<
      string,
      {
        readonly statusCode: string | number;
        readonly responseParameters?: Readonly<Record<string, string>>;
        readonly responseTemplates?: Readonly<Record<string, string>>;
      }
    >
  >;
}

/** The Lambda authorizer of a security scheme of the OpenAPI body. */
export interface AuthorizerDefinition {
  readonly authorizerUri: string;
  readonly identitySource?: string;
  readonly authorizerResultTtlInSeconds?: number;
}

/** A method of a path of the REST API. */
export interface Operation {
  /** HTTP method in upper case; `ANY` for all methods without an operation. */
  readonly method: string;
  /** Path with `{parameter}` placeholders. */
  readonly path: string;
  readonly integration: Integration;
  readonly authorizer: AuthorizerDefinition | undefined;
  readonly needsKey: boolean;
}

/** The REST API of the template. */
export interface Api {
  readonly id: string;
  readonly stage: string;
  readonly operations: readonly Operation[];
  readonly responses: GatewayResponses;
  readonly binaryMediaTypes: readonly string[];
  /** Minimum size in bytes of replies that are compressed; null if replies are never compressed. */
  readonly minimumCompressionSize: number | null;
}

interface Method {
  readonly "x-amazon-apigateway-integration"?: Integration;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

interface Body {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
  readonly security?: Method["security"];
  readonly components?: {
    readonly securitySchemes?: Readonly<Record<string, { "x-amazon-apigateway-authorizer"?: AuthorizerDefinition }>>;
  };
  readonly "x-amazon-apigateway-binary-media-types"?: readonly string[];
  readonly "x-amazon-apigateway-minimum-compression-size"?: number;
  readonly "x-amazon-apigateway-gateway-responses"?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "x-amazon-apigateway-any-method"]);

const operationsOf = ({ paths, security, components }: Body): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([name]) => methods.has(name))
      .map(([name, method]) => {
        const integration = method["x-amazon-apigateway-integration"];
        if (integration === undefined) throw new Error(`${name} ${path} has no integration.`);
        const schemes = (method.security ?? security ?? []).flatMap((requirement) => Object.keys(requirement));
        const authorizers = schemes.map(
          (scheme) => components?.securitySchemes?.[scheme]?.["x-amazon-apigateway-authorizer"],
        );
        return {
          path,
          integration,
          method: name === "x-amazon-apigateway-any-method" ? "ANY" : name.toUpperCase(),
          authorizer: authorizers.find((authorizer) => authorizer !== undefined),
          needsKey: authorizers.includes(undefined),
        };
      }),
  );

const parseSize = (size: unknown): number | null => (size === undefined || size === null ? null : Number(size));

/** Base URL of the local API in mapping templates: no TLS, no stage in the path. */
const localAddress = "http://$context.domainName";

const withLocalAddress = (body: unknown): Body =>
  JSON.parse(JSON.stringify(body).replaceAll(stageAddress, localAddress)) as Body;

/**
 * Reads the REST API of the template from its OpenAPI body.
 *
 * Not supported: APIs made of `AWS::ApiGateway::Method` resources, several APIs, bodies in S3, request validators, models,
 * resource policies, CORS beyond the methods of the body.
 *
 * @throws Error unless the template has exactly one API with a body.
 */
export const apiDefinition = (resolver: Resolver): Api => {
  const apis = resolver
    .resources("AWS::ApiGateway::RestApi")
    .filter(({ properties }) => properties["Body"] !== undefined);
  const [api] = apis;
  if (api === undefined || apis.length !== 1)
    throw new Error(`Expected one REST API with a body, found ${apis.length}.`);
  const body = withLocalAddress(api.properties["Body"]);
  const [stage] = resolver.resources("AWS::ApiGateway::Stage");
  const responseResources = resolver.resources("AWS::ApiGateway::GatewayResponse").map(({ properties }) => properties);
  return {
    id: resolver.nameOf(api.id),
    stage: stage === undefined ? "local" : resolver.nameOf(stage.id),
    operations: operationsOf(body),
    responses: gatewayResponses(body["x-amazon-apigateway-gateway-responses"] ?? {}, responseResources),
    binaryMediaTypes: [
      ...(body["x-amazon-apigateway-binary-media-types"] ?? []),
      ...((api.properties["BinaryMediaTypes"] as readonly string[] | undefined) ?? []),
    ],
    minimumCompressionSize: parseSize(
      api.properties["MinimumCompressionSize"] ?? body["x-amazon-apigateway-minimum-compression-size"],
    ),
  };
};
