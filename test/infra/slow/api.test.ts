import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { resolverOf } from "../../../infra/local/template/intrinsics.ts";
import { gatewayPath, allowedMethods } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { unservedPaths } from "../../../infra/api/unserved-paths.ts";
import { inRegion } from "../in-region.ts";
import { synthesize } from "../synthesize.ts";

let template: Template;
beforeAll(() => {
  ({ template } = synthesize());
});

const only = (type: string) => {
  const resourcesOfType = Object.values(template.findResources(type));
  expect(resourcesOfType).toHaveLength(1);
  return resourcesOfType[0]?.Properties;
};
const definition = () => only("AWS::ApiGateway::RestApi").Body;

/** Text of a mapping template; texts shared by many replies are stored once in the definition. */
const textOf = (part: unknown): unknown =>
  resolverOf(template.toJSON() as Parameters<typeof resolverOf>[0]).resolve(part);

const integrationKey = "x-amazon-apigateway-integration";
const paths = [...new Set(routes.map(gatewayPath))];

test.each(routes)("$method $path calls the function of its route", (route) => {
  const operation = definition().paths[gatewayPath(route)][route.method.toLowerCase()];
  const functions = Object.entries(template.findResources("AWS::Lambda::Function")).filter(([id]) =>
    new RegExp(`^ApiRoutes${route.answeredBy ?? route.id}Function[0-9A-F]{8}$`, "u").test(id),
  );
  const { uri, type, httpMethod, responseTransferMode, timeoutInMillis } = operation[integrationKey];

  expect(functions).toHaveLength(1);
  expect({ type, httpMethod }).toEqual({ type: "aws_proxy", httpMethod: "POST" });
  expect(JSON.stringify(uri)).toContain(`/functions/\${${functions[0]?.[0]}.Arn}/`);
  expect(JSON.stringify(uri)).toContain(route.streams ? "path/2021-11-15/functions/" : "path/2015-03-31/functions/");
  expect(JSON.stringify(uri)).toContain(route.streams ? "/response-streaming-invocations" : "/invocations");
  expect(responseTransferMode).toBe(route.streams && "STREAM");
  expect(timeoutInMillis ?? 29_000).toBe(1_000 * Math.min(route.timeout ?? 29, 29));
});

test.each(routes.filter(({ method }) => method === "GET"))("HEAD $path is the same call as GET", (route) => {
  const { get, head } = definition().paths[gatewayPath(route)];

  expect(head).toEqual(get);
});

test("a reply that is not streamed is compressed from 1 KiB on", () => {
  expect(only("AWS::ApiGateway::RestApi").MinimumCompressionSize).toBe(1_024);
});

test.each(routes)("$method $path has the authorizer and the usage plan unless it is public", (route) => {
  const { security } = definition().paths[gatewayPath(route)][route.method.toLowerCase()];

  expect(security).toEqual(route.access === "public" ? [] : [{ auth: [], key: [] }]);
});

test("the API has the paths and methods of the contract, the root, the wrong addresses of exporters, and no others", () => {
  const gatewayOperations = Object.entries<Record<string, unknown>>(definition().paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== "x-amazon-apigateway-any-method")
      .map((method) => `${method.toUpperCase()} ${path}`),
  );

  const described = routes.flatMap((route) =>
    allowedMethods([route]).map((method) => `${method} ${gatewayPath(route)}`),
  );

  expect(gatewayOperations.toSorted()).toEqual([...described, "GET /", "HEAD /"].toSorted());
});

test.each(paths)("another method on %s is answered 405 with the allowed methods, without a credential", (path) => {
  const { security, [integrationKey]: mock } = definition().paths[path]["x-amazon-apigateway-any-method"];
  const reply = mock.responses.default;
  const allowed = allowedMethods(routes.filter((route) => gatewayPath(route) === path));

  expect({ type: mock.type, security, status: reply.statusCode }).toEqual({
    type: "mock",
    security: undefined,
    status: "405",
  });
  const text = String(textOf(reply.responseTemplates["application/json"]));
  const product = /^\/(?!.*\/otel\/)(api\/public|langsmith)\//u.exec(path)?.[1];
  const general = product === undefined ? undefined : unservedPaths.find((each) => each.path === `/${product}/{rest+}`);
  const offer = general === undefined ? "" : `. ${general.detail}`;
  expect(text).toContain(`header.Allow = '${allowed.join(", ")}'`);
  expect(text).toContain("X-Request-ID = $context.requestId");
  expect(text.split("\n").at(-1)).toBe(
    `{"detail":"Method Not Allowed${offer}","code":"method_not_allowed","request_id":"$context.requestId",` +
      '"documentation_url":"https://$context.domainName/$context.stage/docs#error-method_not_allowed"}',
  );
});

test.each(unservedPaths)("$path is answered 404 with a sentence by the gateway alone", ({ path, detail }) => {
  const { security, [integrationKey]: mock } = definition().paths[path]["x-amazon-apigateway-any-method"];
  const reply = mock.responses.default;

  expect({ type: mock.type, security, status: reply.statusCode }).toEqual({
    type: "mock",
    security: undefined,
    status: "404",
  });
  // A client that sends runs or spans to a wrong address would get 415 for a form or for protobuf.
  expect(Object.keys(mock.requestTemplates)).toEqual([
    "application/json",
    "multipart/form-data",
    "application/x-protobuf",
    ...(path.startsWith("/opentelemetry") ? ["application/grpc", "application/grpc+proto"] : []),
  ]);
  const text = String(textOf(reply.responseTemplates["application/json"]));
  expect(JSON.parse(text.split("\n").at(-1) ?? "")).toMatchObject({ detail, code: "not_found" });
});

test("every mock method handles bodies and replies as text, since JSON is one of the API's binary types", () => {
  const mocks = ["/", ...paths, ...unservedPaths.map(({ path }) => path)]
    .map((path) => definition().paths[path])
    .flatMap((item) => Object.values(item).map((method) => Object(method)[integrationKey]))
    .filter(({ type }) => type === "mock");

  expect(mocks.length).toBeGreaterThan(paths.length);
  expect(
    new Set(mocks.flatMap(({ contentHandling, responses }) => [contentHandling, responses.default.contentHandling])),
  ).toEqual(new Set(["CONVERT_TO_TEXT"]));
});

test("sibling parameters share one name, as API Gateway requires", () => {
  const names = new Map<string, Set<string>>();
  for (const path of paths) {
    const segments = path.split("/");
    for (const [index, segment] of segments.entries()) {
      if (!segment.startsWith("{")) continue;
      const parent = segments.slice(0, index).join("/");
      names.set(parent, (names.get(parent) ?? new Set()).add(segment));
    }
  }

  expect([...names].filter(([, siblings]) => siblings.size > 1)).toEqual([]);
});

test("the authorizer runs for every request and names the client's usage plan key", () => {
  const scheme = definition().components.securitySchemes.auth;

  expect(definition()["x-amazon-apigateway-api-key-source"]).toBe("AUTHORIZER");
  expect(scheme["x-amazon-apigateway-authtype"]).toBe("custom");
  expect(scheme["x-amazon-apigateway-authorizer"]).toMatchObject({ type: "request", authorizerResultTtlInSeconds: 0 });
  expect(scheme["x-amazon-apigateway-authorizer"]).not.toHaveProperty("identitySource");
});

const gatewayTypes = (
  "ACCESS_DENIED API_CONFIGURATION_ERROR AUTHORIZER_CONFIGURATION_ERROR AUTHORIZER_FAILURE BAD_REQUEST_BODY " +
  "BAD_REQUEST_PARAMETERS DEFAULT_4XX DEFAULT_5XX EXPIRED_TOKEN INTEGRATION_FAILURE INTEGRATION_TIMEOUT " +
  "INVALID_API_KEY INVALID_SIGNATURE MISSING_AUTHENTICATION_TOKEN QUOTA_EXCEEDED REQUEST_TOO_LARGE " +
  "RESOURCE_NOT_FOUND THROTTLED UNAUTHORIZED UNSUPPORTED_MEDIA_TYPE WAF_FILTERED"
).split(" ");

test.each(gatewayTypes)("the gateway's own %s has the service's error shape and a request id", (type) => {
  const reply = definition()["x-amazon-apigateway-gateway-responses"][type];

  expect(JSON.parse(reply.responseTemplates["application/json"])).toEqual({
    detail: expect.any(String),
    code: expect.stringMatching(/^[a-z_]+$/u),
    request_id: "$context.requestId",
    documentation_url: expect.stringMatching(
      /^https:\/\/\$context\.domainName\/\$context\.stage\/docs#error-[a-z_]+$/u,
    ),
  });
  expect(reply.responseParameters).toMatchObject({
    "gatewayresponse.header.Content-Type": "'application/json'",
    "gatewayresponse.header.X-Request-ID": "context.requestId",
    "gatewayresponse.header.Strict-Transport-Security": "'max-age=31536000'",
  });
});

test.each([
  ["ACCESS_DENIED", "401", "$context.authorizer.detail"],
  ["UNAUTHORIZED", "401", "Not authenticated"],
  ["MISSING_AUTHENTICATION_TOKEN", "404", "Not Found"],
  ["INVALID_SIGNATURE", "404", "Not Found"],
  ["INVALID_API_KEY", "403", "This client is not known to the gateway yet. Try again."],
  [
    "REQUEST_TOO_LARGE",
    "413",
    "The request body is too large: at most 4 MiB. For OpenTelemetry lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE, e.g. to 100.",
  ],
  [
    "UNSUPPORTED_MEDIA_TYPE",
    "415",
    "The Content-Encoding must be gzip, deflate or absent, and the body must be encoded accordingly.",
  ],
  ["INTEGRATION_TIMEOUT", "504", "The service did not answer in time."],
])("the gateway's %s is a %s", (type, statusCode, detail) => {
  const reply = definition()["x-amazon-apigateway-gateway-responses"][type];

  expect(reply.statusCode).toBe(statusCode);
  expect(JSON.parse(reply.responseTemplates["application/json"])).toMatchObject({ detail });
});

test.each(["THROTTLED", "QUOTA_EXCEEDED"])("a %s is a 429 with a Retry-After header", (type) => {
  const reply = definition()["x-amazon-apigateway-gateway-responses"][type];

  expect(reply.statusCode).toBe("429");
  expect(reply.responseParameters["gatewayresponse.header.Retry-After"]).toBe("'1'");
});

test("the clients' plan throttles each client at 100 a second and never refuses a request that the exact limits admit", () => {
  const plans = Object.values(template.findResources("AWS::ApiGateway::UsagePlan")).map(({ Properties }) => Properties);
  const clients = plans.find(({ Throttle }) => Throttle.RateLimit === 100);
  const limited = routes.filter(({ limitPerMinute }) => limitPerMinute !== undefined);

  expect(clients?.Throttle).toEqual({ RateLimit: 100, BurstLimit: 200 });
  expect(clients?.ApiStages[0].Throttle).toEqual(
    Object.fromEntries(
      limited.map(({ path, method, limitPerMinute = 0 }) => [
        `${path}/${method}`,
        { BurstLimit: 2 * limitPerMinute, RateLimit: Math.ceil((2 * limitPerMinute) / 60) },
      ]),
    ),
  );
});

test("the factor of the limits scales each client's throttle, the shared one and the throttles of methods alike", () => {
  const throttles = (limitFactor: number) =>
    inRegion(synthesize({ limitFactor }).template, "AWS::ApiGateway::UsagePlan").flatMap(
      ({ Throttle, ApiStages }): { readonly RateLimit: number; readonly BurstLimit: number }[] =>
        Object.values({ Throttle, ...ApiStages[0].Throttle }),
    );
  const grown = (factor: number) =>
    throttles(1).map(({ RateLimit, BurstLimit }) => ({
      RateLimit: expect.toSatisfy((rate: number) => Math.abs(rate - RateLimit * factor) <= factor),
      BurstLimit: BurstLimit * factor,
    }));

  expect(throttles(2)).toEqual(grown(2));
  expect(throttles(300).every(({ RateLimit, BurstLimit }) => RateLimit <= 10_000 && BurstLimit <= 5_000)).toBe(true);
});

test("clients on the shared key do not share one client's throttles", () => {
  const { KeyId, UsagePlanId } = only("AWS::ApiGateway::UsagePlanKey");
  const plan = template.findResources("AWS::ApiGateway::UsagePlan")[UsagePlanId.Ref]?.Properties;

  expect(Object.keys(template.findResources("AWS::ApiGateway::ApiKey"))).toEqual([KeyId.Ref]);
  expect(plan.ApiStages[0]).not.toHaveProperty("Throttle");
  expect(plan.Throttle.RateLimit).toBeGreaterThan(100);
});

test("the authorizer has the shared key, which is alphanumeric and long enough", () => {
  const { Value } = only("AWS::ApiGateway::ApiKey");
  const functions = Object.entries(template.findResources("AWS::Lambda::Function"));
  const authorizer = functions.find(([id]) => id.startsWith("ApiAuthorizer"))?.[1].Properties;

  expect(authorizer.Environment.Variables.SHARED_USAGE_KEY).toEqual(Value);
  expect(Value["Fn::Join"][1][1]).toEqual({ Ref: "AWS::AccountId" });
  expect(Value["Fn::Join"][1][0]).toMatch(/^[a-z0-9]{20,40}$/u);
});

test("no version before TLS 1.2 reaches the API", () => {
  expect(only("AWS::ApiGateway::RestApi")).toMatchObject({
    SecurityPolicy: expect.stringMatching(/^SecurityPolicy_TLS13_1_2_/u),
    EndpointAccessMode: "STRICT",
    EndpointConfiguration: { Types: ["REGIONAL"] },
  });
});

test("the stage has the deployment's name", () => {
  expect(only("AWS::ApiGateway::Stage").StageName).toBe("dev");
});

test("access logs and the account-wide role exist only by a setting, and access logs contain nothing that a client sent", () => {
  const withLogRole = synthesize({ gatewayLogRole: true }).template;
  const stage = Object.values(withLogRole.findResources("AWS::ApiGateway::Stage"))[0]?.Properties;

  expect(Object.keys(template.findResources("AWS::ApiGateway::Account"))).toEqual([]);
  expect(only("AWS::ApiGateway::Stage")).not.toHaveProperty("AccessLogSetting");
  expect(Object.keys(withLogRole.findResources("AWS::ApiGateway::Account"))).toHaveLength(1);
  expect(Object.keys(JSON.parse(stage.AccessLogSetting.Format))).toContain("request_id");
  expect(stage.AccessLogSetting.Format).not.toMatch(/sourceIp|userAgent|context\.path\b|caller|user\b|apiKey/u);
});

test("the gateway passes JSON, protobuf, forms and lines of items on as the bytes that were sent", () => {
  expect(definition()["x-amazon-apigateway-binary-media-types"]).toEqual([
    "application/json",
    "application/x-protobuf",
    "multipart/form-data",
    "application/x-ndjson",
    "text/csv",
  ]);
});

test.each([
  [{ gatewayLogRole: true }, ["AWS::ApiGateway::Account", "AWS::IAM::Role"]],
  [{ gatewayLogRole: "arn:aws:iam::123456789012:role/gateway-logs" }, ["AWS::ApiGateway::Account"]],
  [{ accessLogs: true }, []],
])(
  "with %j access logs are written, and the account's log role for other APIs outlives the stack",
  (context, retained) => {
    const customTemplate = synthesize(context).template;
    const retainedResources = Object.values<{ Type: string; DeletionPolicy?: string }>(
      customTemplate.toJSON().Resources,
    )
      .filter(({ DeletionPolicy }) => DeletionPolicy === "Retain")
      .map(({ Type }) => Type);

    expect(Object.values(customTemplate.findResources("AWS::ApiGateway::Stage"))[0]?.Properties).toHaveProperty(
      "AccessLogSetting",
    );
    expect(retainedResources.toSorted()).toEqual(retained);
  },
);

test("no method's throttle exceeds its client's throttle, which would win", () => {
  const { template: raised } = synthesize({ limits: { getTrace: 12_000 }, limitFactor: 2 });
  const plans = Object.values(raised.findResources("AWS::ApiGateway::UsagePlan")).map(({ Properties }) => Properties);
  const [{ Throttle, ApiStages }] = plans.filter(({ ApiStages: [stage] }) => stage.Throttle !== undefined) as [
    Record<string, never>,
  ];
  const methods = Object.values<{ RateLimit: number; BurstLimit: number }>(ApiStages?.[0]?.["Throttle"] ?? {});

  expect(Math.max(...methods.map(({ RateLimit }) => RateLimit))).toBe(800);
  expect(Throttle).toEqual({ RateLimit: 800, BurstLimit: 1000 });
});
