import { expect, test } from "vitest";
import { synthesize } from "./synthesize.ts";

const propertiesOf = (context: Record<string, unknown>, type: string) =>
  Object.values(synthesize(context).template.findResources(type)).map(({ Properties }) => Properties);

const stageThrottles = (context: Record<string, unknown>) =>
  propertiesOf(context, "AWS::ApiGateway::Stage").flatMap(({ MethodSettings }) => MethodSettings ?? []);

test("the stage throttles each route, for all callers together", () => {
  const everything = { HttpMethod: "*", ResourcePath: "/*" };

  expect(stageThrottles({})).toMatchObject([
    { ...everything, ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 },
  ]);
  expect(stageThrottles({ requestsPerSecond: 4_000 })).toMatchObject([
    { ...everything, ThrottlingRateLimit: 4_000, ThrottlingBurstLimit: 5_000 },
  ]);
});

test("a web ACL with a rate limit per address exists by a setting only", () => {
  const acls = propertiesOf({ requestsPerAddress: 3_000 }, "AWS::WAFv2::WebACL");

  expect(propertiesOf({}, "AWS::WAFv2::WebACL")).toEqual([]);
  expect(acls).toMatchObject([
    {
      Scope: "REGIONAL",
      DefaultAction: { Allow: {} },
      Rules: [
        {
          Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
          Statement: { RateBasedStatement: { AggregateKeyType: "IP", EvaluationWindowSec: 60, Limit: 3_000 } },
          VisibilityConfig: { SampledRequestsEnabled: false },
        },
      ],
    },
  ]);
  expect(propertiesOf({ requestsPerAddress: 3_000 }, "AWS::WAFv2::WebACLAssociation")).toHaveLength(1);
});

test("no function reserves concurrency of the account, except the authorizer by a setting", () => {
  const reservedConcurrency = (context: Record<string, unknown>) =>
    propertiesOf(context, "AWS::Lambda::Function").flatMap((each) => each.ReservedConcurrentExecutions ?? []);

  expect(reservedConcurrency({})).toEqual([]);
  expect(reservedConcurrency({ authorizerConcurrency: 50 })).toEqual([50]);
});
