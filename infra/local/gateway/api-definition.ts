import { stageAddress } from "../../api/gateway-responses.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { type GatewayResponses, gatewayResponses } from "./gateway-response.ts";

/** An integration as the OpenAPI body writes it. */
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

/** The authorizer of a security scheme. */
export interface AuthorizerDefinition {
  readonly authorizerUri: string;
  readonly identitySource?: string;
  readonly authorizerResultTtlInSeconds?: number;
}

/** A method of a path. */
export interface Operation {
  /** Upper case; `ANY` for methods that have no operation of their own. */
  readonly method: string;
  /** With `{parameter}` placeholders. */
  readonly path: string;
  readonly integration: Integration;
  readonly authorizer: AuthorizerDefinition | undefined;
  readonly needsKey: boolean;
}

/** A REST API of the template. */
export interface Api {
  readonly id: string;
  readonly stage: string;
  readonly operations: readonly Operation[];
  readonly responses: GatewayResponses;
  readonly binaryMediaTypes: readonly string[];
  /** Bytes from which on replies are compressed; null when they are not. */
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

const sizeOf = (given: unknown): number | null => (given === undefined || given === null ? null : Number(given));

/** Here are no TLS and no stage in the path. */
const localAddress = "http://$context.domainName";

const withLocalAddress = (body: unknown): Body =>
  JSON.parse(JSON.stringify(body).replaceAll(stageAddress, localAddress)) as Body;

/**
 * Reads the REST API of the template from its OpenAPI body.
 *
 * Does not do: APIs made of `AWS::ApiGateway::Method` resources, several APIs, bodies in S3, request validators, models,
 * resource policies, CORS beyond what the body says.
 *
 * @throws Error when the template has not exactly one API with a body.
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
  const separate = resolver.resources("AWS::ApiGateway::GatewayResponse").map(({ properties }) => properties);
  return {
    id: resolver.nameOf(api.id),
    stage: stage === undefined ? "local" : resolver.nameOf(stage.id),
    operations: operationsOf(body),
    responses: gatewayResponses(body["x-amazon-apigateway-gateway-responses"] ?? {}, separate),
    binaryMediaTypes: [
      ...(body["x-amazon-apigateway-binary-media-types"] ?? []),
      ...((api.properties["BinaryMediaTypes"] as readonly string[] | undefined) ?? []),
    ],
    minimumCompressionSize: sizeOf(
      api.properties["MinimumCompressionSize"] ?? body["x-amazon-apigateway-minimum-compression-size"],
    ),
  };
};
