import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { clientsPlanParameter } from "../../../lib/gateway-keys/client.ts";
import { scannedAttributes } from "../../../lib/store/access/scan.ts";
import { tableVariable } from "../../../lib/dynamo/table.ts";
import { list, resources, statements } from "../policies.ts";
import { synthesize } from "../synthesize.ts";
import { watchedQueue } from "../watched.ts";

let template: Template;
beforeAll(() => {
  ({ template } = synthesize({ stage: "blue" }));
});

const onlyResource = (type: string, prefix: string) => {
  const resourcesOfType = Object.entries(template.findResources(type)).filter(([id]) => id.startsWith(prefix));
  expect(resourcesOfType).toHaveLength(1);
  return resourcesOfType[0]?.[1].Properties;
};

const clientsPlan = (): string => {
  const plans = Object.keys(template.findResources("AWS::ApiGateway::UsagePlan"));
  return plans.find((id) => id.includes("Clients")) ?? "";
};

/** A value of the template as text, with references that only AWS can resolve in angle brackets. */
const text = (value: unknown): string => {
  if (typeof value === "string") return value;
  const [[name, inner] = ["", undefined]] = Object.entries(value as Record<string, unknown>);
  if (name === "Ref") return `<${String(inner)}>`;
  if (name === "Fn::GetAtt") return `<${(inner as string[]).join(".")}>`;
  const [separator, parts] = inner as [string, unknown[]];
  return parts.map(text).join(separator);
};

test("the id of the clients' plan is in a parameter of the stage, under the name that the worker reads", () => {
  expect(onlyResource("AWS::SSM::Parameter", "GatewayKeys")).toMatchObject({
    Name: clientsPlanParameter("blue"),
    Type: "String",
    Value: { Ref: clientsPlan() },
  });
});

test("the clients' plan keeps its logical id; otherwise the keys created at run time would be in no plan", () => {
  expect(clientsPlan()).toMatch(/^ApiUsageClients[0-9A-F]{8}$/u);
});

test("the worker may create and tag keys, add them to the clients' plan, find and delete them, and nothing else there", () => {
  const allowed = statements(template)
    .filter(({ Action }) => list(Action).some((action) => action.startsWith("apigateway:")))
    .flatMap(({ role, Action, Resource }) =>
      list(Action).flatMap((action) => list(Resource).map((resource) => ({ role, action, resource: text(resource) }))),
    );
  const plane = "arn:<AWS::Partition>:apigateway:<AWS::Region>::";

  expect(new Set(allowed.map(({ action, resource }) => `${action} ${resource}`))).toEqual(
    new Set([
      `apigateway:POST ${plane}/apikeys`,
      `apigateway:POST ${plane}/usageplans/<${clientsPlan()}>/keys`,
      `apigateway:GET ${plane}/apikeys`,
      `apigateway:GET ${plane}/usageplans/<${clientsPlan()}>/keys`,
      `apigateway:PUT ${plane}/tags/*`,
      `apigateway:POST ${plane}/tags/*`,
      `apigateway:DELETE ${plane}/apikeys/*`,
    ]),
  );
  expect(new Set(allowed.map(({ role }) => role)).size).toBe(1);
});

test("the worker may delete keys with the stack's tags only, and scan the attributes that it checks only", () => {
  const conditionOf = (wanted: string, resource: string) =>
    statements(template)
      .filter((each) => list(each.Action).includes(wanted) && resources(each).join(" ").includes(resource))
      .map(({ role, Condition }) => [role.replace(/\w{8}$/u, ""), Condition]);
  const worker = "InvitationsAnnounceWorkerFunction";

  expect(conditionOf("apigateway:DELETE", "")).toEqual([
    [worker, { StringEquals: { "aws:ResourceTag/service": "assay", "aws:ResourceTag/stage": "blue" } }],
  ]);
  expect(conditionOf("dynamodb:Scan", "access")).toEqual([
    [
      worker,
      {
        StringEquals: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
        "ForAllValues:StringEquals": { "dynamodb:Attributes": scannedAttributes },
        Null: { "dynamodb:Attributes": "false" },
      },
    ],
  ]);
});

test("the tags of the condition are those of the keys", () => {
  const { Environment } = onlyResource("AWS::Lambda::Function", "InvitationsAnnounce");

  expect(JSON.parse(Environment.Variables["GATEWAY_KEY_TAGS"])).toEqual({ service: "assay", stage: "blue" });
});

test("the worker may read the plan's parameter and no other", () => {
  const reads = statements(template)
    .filter(({ role }) => role.startsWith("InvitationsAnnounce"))
    .filter(({ Action }) => list(Action).some((action) => action.startsWith("ssm:")));

  expect(reads.map(({ Action }) => Action)).toEqual(["ssm:GetParameter"]);
  expect(text(reads[0]?.Resource)).toMatch(
    /^arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter<Gateway/u,
  );
});

test("the worker's environment names its table and the service's address, and the plan by its name", () => {
  const { Environment } = onlyResource("AWS::Lambda::Function", "InvitationsAnnounce");

  expect(Object.keys(Environment.Variables).toSorted()).toEqual([
    "GATEWAY_KEY_TAGS",
    "SERVICE_URL",
    "STAGE",
    tableVariable("access"),
    "USAGE_PLAN",
  ]);
});

test("the worker and the authorizer name the clients' plan alike, by its stack", () => {
  const names = ["InvitationsAnnounce", "ApiAuthorizer"].map(
    (prefix) => onlyResource("AWS::Lambda::Function", prefix).Environment.Variables["USAGE_PLAN"],
  );

  expect(names).toEqual([{ Ref: "AWS::StackId" }, { Ref: "AWS::StackId" }]);
});

test("only new, removed, revoked and expired keys, new and removed memberships and invitations, the call to reconcile and postponed clients wake the worker", () => {
  const { FilterCriteria, EventSourceArn, BatchSize, MaximumRetryAttempts, ...mapping } = onlyResource(
    "AWS::Lambda::EventSourceMapping",
    "InvitationsAnnounce",
  );
  const filters = FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));

  expect(JSON.stringify(EventSourceArn)).toMatch(/"Dataaccess[0-9A-F]{8}","StreamArn"/u);
  expect({ BatchSize, MaximumRetryAttempts }).toEqual({ BatchSize: 100, MaximumRetryAttempts: 50 });
  expect(mapping).toMatchObject({ StartingPosition: "TRIM_HORIZON", BisectBatchOnFunctionError: true });
  expect(filters).toEqual([
    {
      eventName: ["INSERT", "REMOVE"],
      dynamodb: {
        Keys: {
          pk: { S: [{ prefix: "key#" }, { prefix: "organization#" }, { prefix: "invitation#" }] },
          sk: { S: ["key", { prefix: "member#" }, "invitation"] },
        },
      },
    },
    {
      eventName: ["MODIFY"],
      dynamodb: {
        Keys: { pk: { S: [{ prefix: "key#" }] }, sk: { S: ["key"] } },
        NewImage: { revoked_at: { S: [{ exists: true }] } },
      },
    },
    {
      eventName: ["REMOVE"],
      dynamodb: { Keys: { pk: { S: [{ prefix: "key-expiry#" }] }, sk: { S: ["key-expiry"] } } },
    },
    {
      eventName: ["INSERT", "MODIFY"],
      dynamodb: { Keys: { pk: { S: ["gateway-keys"] }, sk: { S: ["reconcile", "postponed"] } } },
    },
  ]);
});

test("changes that the worker fails to handle go to a dead-letter queue with an alarm about them", () => {
  const { DestinationConfig } = onlyResource("AWS::Lambda::EventSourceMapping", "InvitationsAnnounce");
  const [queue] = DestinationConfig.OnFailure.Destination["Fn::GetAtt"];
  const alarms = Object.values(template.findResources("AWS::CloudWatch::Alarm"));
  const alarm = alarms.find(({ Properties }) => watchedQueue(Properties) === queue);

  expect(queue).toContain("DeadLetters");
  expect(alarm?.Properties.AlarmDescription).toContain("gateway key");
});
