import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { list, statements } from "../../policies.ts";
import { everySetting } from "../../settings/every-setting.ts";
import { synthesize } from "../../synthesize.ts";

let plain: Template;
let ruled: Template;
beforeAll(() => {
  plain = synthesize({ stage: "prod" }).template;
  ruled = synthesize(everySetting).template;
});

const resourcesOf = (template: Template, type: string) => Object.entries(template.findResources(type));

/** The name of a role in a Region of 14 letters. */
const roleName = ({ RoleName }: { readonly RoleName: { readonly "Fn::Sub": string } }): string =>
  RoleName["Fn::Sub"].replace("${AWS::Region}", "x".repeat(14));

test("every role has the account's path, boundary and prefix, and a name of its own within IAM's 64 characters", () => {
  const roles = resourcesOf(ruled, "AWS::IAM::Role").map(([, { Properties }]) => Properties);
  const names = roles.map(roleName);

  expect(roles.length).toBeGreaterThan(100);
  for (const role of roles)
    expect(role).toMatchObject({ Path: "/team/assay/", PermissionsBoundary: everySetting.permissionsBoundary });
  expect(names.filter((name) => !/^team-prod-x{14}-[\w-]+$/u.test(name) || name.length > 64)).toEqual([]);
  expect(new Set(names).size).toBe(roles.length);
});

test("roles keep the names that CloudFormation generates, without a path or a boundary, if no setting says otherwise", () => {
  const roleProperties = resourcesOf(plain, "AWS::IAM::Role").flatMap(([, { Properties }]) => Object.keys(Properties));

  expect(roleProperties).not.toContain("RoleName");
  expect(roleProperties).not.toContain("Path");
  expect(roleProperties).not.toContain("PermissionsBoundary");
});

test("the longest stage and prefix leave room for a role's name", () => {
  const long = { stage: "a-stage-of-20-letters", roleNamePrefix: "sixteen-letters-" };
  const roles = resourcesOf(synthesize({ ...long, stage: long.stage.slice(0, 20) }).template, "AWS::IAM::Role");
  const lengths = roles.map(([, { Properties }]) => roleName(Properties).length);

  expect(Math.max(...lengths)).toBeLessThanOrEqual(64);
});

/** Resource types without tags, or without tags in CloudFormation. */
const untagged =
  /Tags|Mapping|Policy|LayerVersion|Subscription|Deployment|Account$|PlanKey|Association$|Dashboard|QueryDefinition|EventInvokeConfig|Schedule$|Events::Connection|ApiDestination/u;

test("every created resource has the operator's tags beside the stack's own, which functions, log groups and roles get from the stack", () => {
  const taggable = Object.values<{ Type: string; Properties: { Tags?: unknown } }>(ruled.toJSON().Resources).filter(
    ({ Type }) => !untagged.test(Type),
  );

  const without = taggable.filter(({ Properties }) => !JSON.stringify(Properties.Tags ?? {}).includes("cost-center"));
  expect([...new Set(without.map(({ Type }) => Type))].toSorted()).toEqual([
    "AWS::IAM::Role",
    "AWS::Lambda::Function",
    "AWS::Logs::LogGroup",
  ]);
  expect(synthesize(everySetting).stack.tags.tagValues()).toEqual({
    service: "assay",
    stage: "prod",
    ...everySetting.tags,
  });
});

test("gateway keys that are created at run time get the stack's and the operator's tags, and their worker may tag them", () => {
  const variables = (template: Template) =>
    resourcesOf(template, "AWS::Lambda::Function").find(([id]) => id.startsWith("InvitationsAnnounce"))?.[1].Properties
      .Environment.Variables;
  const tagging = (template: Template) =>
    statements(template).filter(
      ({ Action, Resource }) => list(Action).includes("apigateway:PUT") && JSON.stringify(Resource).includes("/tags/*"),
    );

  const ownTags = { service: "assay", stage: "prod" };
  expect(JSON.parse(variables(plain).GATEWAY_KEY_TAGS)).toEqual(ownTags);
  expect(JSON.parse(variables(ruled).GATEWAY_KEY_TAGS)).toEqual({ ...ownTags, ...everySetting.tags });
  for (const template of [plain, ruled])
    expect(tagging(template).map(({ role }) => role)).toEqual([expect.stringMatching(/^InvitationsAnnounce/u)]);
});

test.each([
  ["team-events", { "Fn::Join": ["", expect.arrayContaining([":event-bus/team-events"])] }],
  [
    "arn:aws:events:eu-central-1:210987654321:event-bus/shared",
    "arn:aws:events:eu-central-1:210987654321:event-bus/shared",
  ],
])("events are announced on the bus %s, and on no other", (eventBus, resource) => {
  const { template } = synthesize({ eventBus });
  const puts = statements(template).filter(({ Action }) => list(Action).includes("events:PutEvents"));
  const functionsWithVariable = resourcesOf(template, "AWS::Lambda::Function").filter(
    ([, { Properties }]) => Properties.Environment.Variables.EVENT_BUS !== undefined,
  );

  expect(puts.map(({ Resource }) => Resource)).toEqual([resource, resource, resource]);
  expect(functionsWithVariable.map(([id, { Properties }]) => [id, Properties.Environment.Variables.EVENT_BUS])).toEqual(
    [
      [expect.stringMatching(/^ScoreStatisticsFollowScores/u), eventBus],
      [expect.stringMatching(/^EvaluationFollowRuns/u), eventBus],
      [expect.stringMatching(/^InvitationsAnnounce/u), eventBus],
    ],
  );
});

const kms = (template: Template) =>
  statements(template).flatMap(({ role, Action, Resource, ...statementFields }) => {
    const actions = list(Action).filter((action) => action.startsWith("kms:"));
    return actions.length === 0 ? [] : [{ role, actions, Resource, ...statementFields }];
  });

const via = (service: string) => ({
  // The end is the Region, which is that of the key.
  StringLike: { "kms:ViaService": `${service}.*` },
});

test("functions that read a table encrypted with a customer key may decrypt, functions that write may encrypt, through DynamoDB only", () => {
  const onTables = kms(ruled).filter(({ Resource }) => Resource === everySetting.tablesKeyArn);
  const allowedOnTables = statements(ruled).filter(({ Action }) =>
    list(Action).some((action) => /^dynamodb:(?!Get(?:Records|Shard)|Describe|ListStreams)/u.test(action)),
  );
  const writers = allowedOnTables.filter(({ Action }) =>
    list(Action).some((action) => /:(?:Put|Update|Delete|BatchWrite)/u.test(action)),
  );

  expect(new Set(onTables.map(({ role }) => role))).toEqual(new Set(allowedOnTables.map(({ role }) => role)));
  expect(new Set(onTables.filter(({ actions }) => actions.includes("kms:Encrypt")).map(({ role }) => role))).toEqual(
    new Set(writers.map(({ role }) => role)),
  );
  for (const statement of onTables) expect(statement).toMatchObject({ Effect: "Allow", Condition: via("dynamodb") });
  expect(kms(plain)).toEqual([]);
});

test("functions that read the providers' parameters may decrypt them with the customer key, through SSM only", () => {
  const onParameters = kms(ruled).filter(({ Resource }) => Resource === everySetting.parametersKeyArn);
  const readers = statements(ruled).filter(
    ({ Action, role }) => list(Action).includes("ssm:GetParameter") && !role.startsWith("InvitationsAnnounce"),
  );

  expect(new Set(onParameters.map(({ role }) => role))).toEqual(new Set(readers.map(({ role }) => role)));
  for (const statement of onParameters)
    expect(statement).toMatchObject({ actions: ["kms:Decrypt"], Condition: via("ssm") });
});

test("every table is encrypted with the customer key if it is set", () => {
  const specification = (template: Template) =>
    new Set(
      resourcesOf(template, "AWS::DynamoDB::Table").map(([, { Properties }]) =>
        JSON.stringify(Properties.SSESpecification),
      ),
    );

  expect(specification(ruled)).toEqual(
    new Set([JSON.stringify({ KMSMasterKeyId: everySetting.tablesKeyArn, SSEEnabled: true, SSEType: "KMS" })]),
  );
  expect(specification(plain)).toEqual(new Set([undefined]));
});

test("the class and the recovery of each table follow its setting; counters of rate limits have no recovery", () => {
  const table = (template: Template, name: string) =>
    resourcesOf(template, "AWS::DynamoDB::Table").find(([id]) => id.startsWith(`Data${name}`))?.[1].Properties;
  const recovery = (template: Template, name: string) =>
    table(template, name).PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled;

  expect([
    recovery(plain, "limits"),
    recovery(plain, "bodies"),
    recovery(ruled, "limits"),
    recovery(ruled, "bodies"),
  ]).toEqual([false, true, true, false]);
  expect([
    table(plain, "bodies").TableClass,
    table(ruled, "bodies").TableClass,
    table(ruled, "rows").TableClass,
  ]).toEqual([undefined, "STANDARD_INFREQUENT_ACCESS", undefined]);
});

/** Of a resource what CloudFormation cannot change without making another one. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  "AWS::DynamoDB::Table": ["TableName", "KeySchema", "LocalSecondaryIndexes", "ImportSourceSpecification"],
  "AWS::ApiGateway::RestApi": [],
  "AWS::ApiGateway::Stage": ["RestApiId", "StageName"],
  "AWS::ApiGateway::UsagePlan": [],
  "AWS::Scheduler::ScheduleGroup": ["Name"],
};

test.each(Object.entries(fixed))("no setting replaces a %s", (type, properties) => {
  const identity = (template: Template) =>
    resourcesOf(template, type).map(([id, { Properties = {} }]) => [id, properties.map((name) => Properties[name])]);

  expect(identity(ruled)).toEqual(identity(plain));
});
