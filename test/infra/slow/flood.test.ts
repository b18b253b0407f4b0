import { expect, test } from "vitest";
import { smallRegions } from "../../../infra/api/account-throttle.ts";
import { ingestShares } from "../../../infra/api/ingest-shares.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { inRegion } from "../in-region.ts";
import { synthesize } from "../synthesize.ts";

const propertiesOf = (context: Record<string, unknown>, type: string) =>
  Object.values(synthesize(context).template.findResources(type)).map(({ Properties }) => Properties);

const stageThrottles = (context: Record<string, unknown>, region?: string) =>
  inRegion(synthesize(context).template, "AWS::ApiGateway::Stage", region).flatMap(
    ({ MethodSettings }) => MethodSettings ?? [],
  );

test("the stage throttles each route, for all callers together", () => {
  const everything = { HttpMethod: "*", ResourcePath: "/*" };

  expect(stageThrottles({})).toMatchObject([
    { ...everything, ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 },
  ]);
  expect(stageThrottles({ requestsPerSecond: 4_000 })).toMatchObject([
    { ...everything, ThrottlingRateLimit: 4_000, ThrottlingBurstLimit: 5_000 },
  ]);
});

test("no throttle exceeds the account's 2,500 requests a second and 1,250 at once of thirteen Regions", () => {
  const context = { requestsPerSecond: 4_000, limitFactor: 300 };
  const throttles = (region: string) => [
    ...stageThrottles(context, region).map((each) => [each.ThrottlingRateLimit, each.ThrottlingBurstLimit]),
    ...inRegion(synthesize(context).template, "AWS::ApiGateway::UsagePlan", region).flatMap(({ Throttle, ApiStages }) =>
      Object.values<Record<string, number>>({ Throttle, ...ApiStages[0].Throttle }).map((each) => [
        each["RateLimit"],
        each["BurstLimit"],
      ]),
    ),
  ];

  expect(smallRegions).toHaveLength(13);
  for (const region of smallRegions)
    expect(throttles(region).every(([rate = NaN, burst = NaN]) => rate <= 2_500 && burst <= 1_250)).toBe(true);
  expect(throttles("eu-west-1")).toEqual(
    expect.arrayContaining([
      [4_000, 5_000],
      [10_000, 5_000],
    ]),
  );
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

const reservedConcurrency = (context: Record<string, unknown>): readonly (readonly [string, number])[] =>
  propertiesOf(context, "AWS::Lambda::Function").flatMap(({ Description, ReservedConcurrentExecutions }) =>
    ReservedConcurrentExecutions === undefined ? [] : [[Description, ReservedConcurrentExecutions] as const],
  );

test("no function reserves concurrency of the account, except the authorizer by a setting", () => {
  expect(reservedConcurrency({})).toEqual([]);
  expect(reservedConcurrency({ authorizerConcurrency: 50 })).toEqual([[expect.stringContaining("Authenticates"), 50]]);
});

test.each([9, 10, 89, 900])(
  "functions that take data in, and no others, share %i reserved executions by a setting, none without a share",
  (ingestConcurrency) => {
    const reserved = reservedConcurrency({ ingestConcurrency });
    const paths = reserved.map(([description]) => /^\w+ (\/\S+)$/u.exec(description)?.[1]);
    const shares = reserved.map(([, share]) => share);

    expect(paths.toSorted()).toEqual([
      "/api/public/ingestion",
      "/api/public/media",
      "/langsmith/runs/multipart",
      "/traces",
      "/traces/batch",
      "/traces/{trace_id}/spans",
      "/v1/logs",
      "/v1/metrics",
      "/v1/traces",
    ]);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(ingestConcurrency);
    expect(Math.min(...shares)).toBe(Math.floor(ingestConcurrency / 9));
    expect(Math.max(...shares)).toBe(Math.ceil(ingestConcurrency / 9));
  },
);

test("a share of nothing, which would switch a function off, is an error", () => {
  expect(() => ingestShares(routes, 8)).toThrow(
    "The setting ingestConcurrency is 8, below the 9 functions that share it.",
  );
});
