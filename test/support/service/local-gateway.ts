import { functionUri, type Fixture, proxyTo, startFixture } from "./local-fixture.ts";

const detail = (statusCode: string | undefined, text: string, headers: Readonly<Record<string, string>> = {}) => ({
  ...(statusCode !== undefined && { statusCode }),
  responseParameters: {
    "gatewayresponse.header.X-Request-ID": "context.requestId",
    "gatewayresponse.header.Strict-Transport-Security": "'max-age=1'",
    ...headers,
  },
  responseTemplates: { "application/json": JSON.stringify({ detail: text }) },
});

const responses = {
  ACCESS_DENIED: detail("401", "$context.authorizer.detail", { "gatewayresponse.header.WWW-Authenticate": "'Bearer'" }),
  UNAUTHORIZED: detail("401", "Not authenticated"),
  MISSING_AUTHENTICATION_TOKEN: detail("404", "Not Found"),
  REQUEST_TOO_LARGE: detail("413", "Too large"),
  THROTTLED: detail("429", "Slow down", { "gatewayresponse.header.Retry-After": "'1'" }),
  DEFAULT_4XX: detail(undefined, "Refused"),
  DEFAULT_5XX: detail(undefined, "Broken"),
};

const authorize = `
const policy = (Effect, Resource) => ({ Version: "2012-10-17", Statement: [{ Effect, Action: "execute-api:Invoke", Resource }] });
export const handler = async (event) => {
  const who = event.headers.authorization;
  if (who === undefined) throw new Error("Unauthorized");
  if (who === "broken") throw new Error("boom");
  const Effect = who.startsWith("allow") ? "Allow" : "Deny";
  return { principalId: "me", policyDocument: policy(Effect, event.methodArn), usageIdentifierKey: who.split(" ")[1],
    context: { detail: "No such key", count: 3 } };
};`;

const notAllowed = {
  type: "mock",
  requestTemplates: { "application/json": '{"statusCode":405}' },
  responses: {
    default: {
      statusCode: "405",
      responseParameters: {
        "method.response.header.Allow": "'GET, POST'",
        "method.response.header.Strict-Transport-Security": "'max-age=1'",
      },
      responseTemplates: {
        "application/json":
          '#set($context.responseOverride.header.X-Request-ID = $context.requestId)\n{"detail":"Method Not Allowed"}',
      },
    },
  },
};

const stream = {
  responseTransferMode: "STREAM",
  uri: functionUri("Stream", "2021-11-15/functions", "response-streaming-invocations"),
};

/** An API with one path for each behaviour of the gateway. */
export const gatewayFixture: Fixture = {
  functions: {
    Authorize: { code: authorize },
    Echo: {
      code: `export const handler = async (event) => ({ statusCode: 200, headers: { "X-One": "1", "Strict-Transport-Security": "max-age=1" },
        multiValueHeaders: { "X-Many": ["a", "b"] }, body: JSON.stringify(event) });`,
    },
    Shapeless: { code: `export const handler = async () => "no reply of a proxy";` },
    Throws: { code: `export const handler = async () => { throw new Error("secret"); };` },
    Sleeps: { code: `export const handler = () => new Promise((done) => setTimeout(done, 3000));` },
    Exits: { code: `export const handler = () => process.exit(1);` },
    Stream: {
      code: `export const handler = awslambda.streamifyResponse(async (event, stream) => {
        if (event.queryStringParameters?.fail) throw new Error("secret");
        if (event.queryStringParameters?.badly) return awslambda.HttpResponseStream.from(stream, { statusCode: "none" }).end("x");
        const out = awslambda.HttpResponseStream.from(stream, { statusCode: 206, headers: { "X-Streamed": "yes", "Strict-Transport-Security": "max-age=1" } });
        for (let i = 0; i < 8; i++) out.write("x".repeat(1024 * 1024));
        out.end("!");
      });`,
    },
  },
  paths: {
    "/echo": {
      get: proxyTo("Echo"),
      post: proxyTo("Echo"),
      "x-amazon-apigateway-any-method": { "x-amazon-apigateway-integration": notAllowed },
    },
    "/echo/{id}": { get: proxyTo("Echo") },
    "/private": { get: { ...proxyTo("Echo"), security: [{ authorizer: [] }] } },
    "/limited": { get: { ...proxyTo("Echo"), security: [{ authorizer: [], usageKey: [] }] } },
    "/shapeless": { get: proxyTo("Shapeless") },
    "/throws": { get: proxyTo("Throws") },
    "/exits": { get: proxyTo("Exits") },
    "/slow": { get: proxyTo("Sleeps", { timeoutInMillis: 200 }) },
    "/stream": { get: proxyTo("Stream", stream) },
  },
  api: {
    "x-amazon-apigateway-gateway-responses": responses,
    components: {
      securitySchemes: {
        authorizer: {
          type: "apiKey",
          "x-amazon-apigateway-authorizer": { type: "request", authorizerUri: functionUri("Authorize") },
        },
        usageKey: { type: "apiKey", name: "x-api-key", in: "header" },
      },
    },
  },
  resources: {
    Plan: {
      Type: "AWS::ApiGateway::UsagePlan",
      Properties: {
        Throttle: { RateLimit: 100, BurstLimit: 100 },
        ApiStages: [{ ApiId: { Ref: "Api" }, Throttle: { "/limited/GET": { RateLimit: 0.01, BurstLimit: 2 } } }],
      },
    },
    Key: { Type: "AWS::ApiGateway::ApiKey", Properties: { Enabled: true, Value: "client1" } },
    PlanKey: {
      Type: "AWS::ApiGateway::UsagePlanKey",
      Properties: { KeyId: { Ref: "Key" }, UsagePlanId: { Ref: "Plan" }, KeyType: "API_KEY" },
    },
  },
};

/** A reply with parsed JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Starts the fixture API. @returns a function that calls it. */
export const startGatewayFixture = async () => {
  const { baseUrl } = await startFixture(gatewayFixture);
  return async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const reply = await fetch(baseUrl + path, init);
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Record<string, unknown> };
  };
};
