import { readFileSync } from "node:fs";
import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { idleBill } from "../../vitals/idle-bill.ts";
import type { Template as LocalTemplate } from "../../../infra/local/template/template.ts";
import { eventSchemas } from "../../../lib/contract/events/registry.ts";
import { eventKinds } from "../../../infra/notifications/event-kinds.ts";
import { inputTransformer } from "../../../infra/notifications/input-transformer.ts";
import { synthesize } from "../synthesize.ts";
import { watchedQueue } from "../watched.ts";

const page = readFileSync(new URL("../../../docs/notifications.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```json\n(?<text>[\s\S]*?)```/gu)].map(({ groups }) =>
  JSON.parse(groups?.["text"] ?? ""),
);
/** The settings and the event of the page. */
const [settings, event] = blocks;

type Values = Readonly<Record<string, unknown>>;

let template: Template;
let file: string;
beforeAll(() => {
  const { template: synthesized, file: path } = synthesize({ stage: "prod", ...settings });
  template = synthesized;
  file = readFileSync(path, "utf8");
});

const ofType = (type: string) =>
  Object.entries(template.findResources(type)).filter(([id]) => id.startsWith("Notifications"));

const idOf = (type: string, name: string): string =>
  ofType(type).find(([id]) => new RegExp(`^Notifications${name}[A-Z]`, "u").test(id))?.[0] ?? `no ${type} of ${name}`;

const ruleOf = (name: string) =>
  Object.fromEntries(ofType("AWS::Events::Rule"))[idOf("AWS::Events::Rule", name)]?.Properties;

const names = ["team", "slack", "pagerduty", "pagerdutyend"];

/** The statement that lets exactly these rules do something. */
const onlyRules = (action: string, rules: readonly string[], resource: unknown) =>
  rules.map((name) => ({
    Effect: "Allow",
    Principal: { Service: "events.amazonaws.com" },
    Action: action,
    Resource: resource,
    Condition: { ArnEquals: { "aws:SourceArn": { "Fn::GetAtt": [idOf("AWS::Events::Rule", name), "Arn"] } } },
  }));

const allowedBy = (policy: { readonly PolicyDocument: { readonly Statement: readonly Values[] } }) =>
  policy.PolicyDocument.Statement.filter(({ Effect }) => Effect === "Allow").map(
    ({ Effect, Principal, Action, Resource, Condition }) => ({ Effect, Principal, Action, Resource, Condition }),
  );

test("without the setting nothing of it is in the template, and with it only additions are, beside the dashboard and the preview that names the receivers", () => {
  const resourcesOf = (synthesized: Template): Values => synthesized.toJSON().Resources;
  const [without, now] = [resourcesOf(synthesize({ stage: "prod" }).template), resourcesOf(template)];
  const changed = Object.keys(without).filter((id) => JSON.stringify(without[id]) !== JSON.stringify(now[id]));

  expect(JSON.stringify(without)).not.toMatch(/AWS::Events::|Notifications/u);
  expect(changed).toEqual([
    expect.stringMatching(/^ApiRoutespreviewAlert/u),
    expect.stringMatching(/^OperationsDashboard/u),
  ]);
  const preview = Object.values(template.findResources("AWS::Lambda::Function")).find(({ Properties }) =>
    Properties.Description.startsWith("POST /evaluations/alerts/preview"),
  );
  // No address and no path: they tell members where alerts go, not how to get there.
  expect(JSON.parse(preview?.["Properties"].Environment.Variables.ALERT_RECEIVERS)).toEqual([
    { name: "team", emails: 1, webhook: null },
    { name: "slack", emails: 0, webhook: "slack.com" },
    { name: "pagerduty", emails: 0, webhook: "events.pagerduty.com" },
  ]);
  expect(Object.keys(now).filter((id) => !Object.hasOwn(without, id) && !id.startsWith("Notifications"))).toEqual([]);
});

test("each destination has a rule for events of its stage, sent again for a day and then kept as dead letters", () => {
  expect(ofType("AWS::Events::Rule")).toHaveLength(names.length);
  const [[queue] = []] = ofType("AWS::SQS::Queue");
  for (const name of names) {
    const { EventPattern, EventBusName, Targets } = ruleOf(name);
    expect(EventPattern).toMatchObject({ source: ["assay"], detail: { stage: ["prod"] } });
    expect(EventBusName).toBeUndefined();
    expect(Targets).toEqual([
      expect.objectContaining({
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        DeadLetterConfig: { Arn: { "Fn::GetAtt": [queue, "Arn"] } },
      }),
    ]);
  }
  const [[, alarm] = []] = ofType("AWS::CloudWatch::Alarm");
  expect(watchedQueue(alarm?.Properties)).toBe(queue);
});

test("the setting knows exactly the kinds of the contract", () => {
  expect(eventKinds.toSorted()).toEqual(Object.keys(eventSchemas).toSorted());
});

test("frequent kinds and invitations are sent only where the setting names them", () => {
  const quiet = ["run.completed", "score.below_threshold", "monitor.fired", "monitor.skipped", "invitation.created"];

  expect(ruleOf("slack").EventPattern["detail-type"]).toEqual([{ "anything-but": quiet }]);
  expect(ruleOf("pagerduty").EventPattern["detail-type"]).toEqual(["alert.raised"]);
});

test("a topic takes messages of its rule only, the queue those of all, and the role of the rules may call their webhooks only", () => {
  const [[, topicPolicy] = []] = ofType("AWS::SNS::TopicPolicy");
  const [[, queuePolicy] = []] = ofType("AWS::SQS::QueuePolicy");
  const [[queue] = []] = ofType("AWS::SQS::Queue");

  expect(allowedBy(topicPolicy?.Properties)).toEqual(
    onlyRules("sns:Publish", ["team"], { Ref: idOf("AWS::SNS::Topic", "team") }),
  );
  expect(allowedBy(queuePolicy?.Properties)).toEqual(
    onlyRules("sqs:SendMessage", names, { "Fn::GetAtt": [queue, "Arn"] }),
  );
  const [[role, caller] = [], ...others] = ofType("AWS::IAM::Role");
  const webhooks = names.slice(1).map((name) => ({ "Fn::GetAtt": [idOf("AWS::Events::ApiDestination", name), "Arn"] }));
  expect(others).toEqual([]);
  expect(names.slice(1).map((name) => ruleOf(name).Targets[0])).toMatchObject(
    webhooks.map((Arn) => ({ Arn, RoleArn: { "Fn::GetAtt": [role, "Arn"] } })),
  );
  expect(caller?.Properties.AssumeRolePolicyDocument.Statement).toMatchObject([
    { Principal: { Service: "events.amazonaws.com" } },
  ]);
  expect(caller?.Properties.Policies.map(allowedBy)).toEqual([
    [{ Effect: "Allow", Action: "events:InvokeApiDestination", Resource: webhooks }],
  ]);
});

test("the template has the names of secrets and no secret: in a header, or in a field of the body", () => {
  const connections = Object.fromEntries(ofType("AWS::Events::Connection"));
  const parametersOf = (name: string) => connections[idOf("AWS::Events::Connection", name)]?.Properties.AuthParameters;

  expect(parametersOf("slack")).toEqual({
    ApiKeyAuthParameters: {
      ApiKeyName: "Authorization",
      ApiKeyValue: "{{resolve:secretsmanager:assay/prod/slack:SecretString:::}}",
    },
  });
  expect(parametersOf("pagerduty")).toEqual({
    ApiKeyAuthParameters: { ApiKeyName: "X-Assay-Stage", ApiKeyValue: "prod" },
    InvocationHttpParameters: {
      BodyParameters: [
        {
          Key: "routing_key",
          Value: "{{resolve:secretsmanager:assay/prod/pagerduty:SecretString:::}}",
          IsValueSecret: true,
        },
      ],
    },
  });
  expect(file.match(/\{\{resolve:/gu)).toHaveLength(3);
});

const valueAt = (path: string): unknown =>
  path
    .split(".")
    .slice(1)
    .reduce<unknown>((value, key) => (value as Values | undefined)?.[key], event);

/** What EventBridge documents: a variable outside of text becomes JSON, within text it is inserted without escapes. */
const render = ({ InputPathsMap, InputTemplate }: { InputPathsMap: Record<string, string>; InputTemplate: string }) => {
  const fill = (text: string, write: (value: unknown) => string): string =>
    text.replaceAll(/<(v\d+)>/gu, (_, name: string) => write(valueAt(InputPathsMap[name] ?? "")));
  return InputTemplate.replaceAll(/"(?:[^"\\]|\\.)*"|<v\d+>/gu, (part) =>
    fill(part, part.startsWith('"') ? String : JSON.stringify),
  );
};

const sentTo = (name: string): string => render(ruleOf(name).Targets[0].InputTransformer);

test("the bodies of the page are what Slack, PagerDuty and people read, also with quotes in an alert's name", () => {
  const { detail } = event;
  const lines = sentTo("team")
    .split("\n")
    .map((line) => JSON.parse(line));

  expect(lines).toEqual([`alert.raised in project ${detail.project_id} of prod, ${event.time}`, detail.url]);
  expect(JSON.parse(sentTo("slack"))).toEqual({
    channel: "C0123456789",
    text: `*alert.raised* in project ${detail.project_id}: ${detail.url}`,
  });
  expect(detail.alert_name).toContain('"');
  expect(JSON.parse(sentTo("pagerduty"))).toMatchObject({
    event_action: "trigger",
    dedup_key: detail.alert_id,
    payload: { summary: detail.alert_name, severity: "warning", custom_details: detail },
  });
  expect(JSON.parse(sentTo("pagerdutyend"))).toEqual({ event_action: "resolve", dedup_key: detail.alert_id });
});

test("a path is one variable wherever it stands, and a text that ends with it keeps its quotes", () => {
  expect(inputTransformer({ a: "<id>", b: 'say "<id>', c: ["<detail-type>", "x <id>"], d: 1 })).toEqual({
    inputPathsMap: { v0: "$.id", v1: "$.detail-type" },
    inputTemplate: String.raw`{"a":<v0>,"b":"say \"<v0>","c":[<v1>,"x <v0>"],"d":1}`,
  });
});

test("rules are on the bus of the setting", () => {
  const { template: onBus } = synthesize({ stage: "prod", eventBus: "team-events", ...settings });
  const buses = Object.values(onBus.findResources("AWS::Events::Rule")).map(
    ({ Properties }) => Properties.EventBusName,
  );

  expect(buses).toEqual(names.map(() => "team-events"));
});

test("idle notifications cost an alarm", () => {
  const total = (synthesized: Template): number =>
    idleBill(synthesized.toJSON() as LocalTemplate, { read: 0, write: 0 }).reduce(
      (sum, { dollars }) => sum + dollars,
      0,
    );

  expect(total(template) - total(synthesize({ stage: "prod" }).template)).toBeCloseTo(0.1);
});
