import { App, Stack, Validations } from "aws-cdk-lib";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { beforeAll, expect, test } from "vitest";
import { DeadLetters } from "../../../infra/functions/dead-letters.ts";
import { everySetting } from "../settings/every-setting.ts";
import { list } from "../policies.ts";
import { synthesize, temporaryDirectory } from "../synthesize.ts";
import { watchedBy, watchedQueue } from "../watched.ts";

let stack: Stack;
let template: Template;
beforeAll(() => {
  ({ stack, template } = synthesize({ alarmEmail: "operator@example.com" }));
});

const alarms = () =>
  Object.values(template.findResources("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);

test("ten alarms watch eleven metrics, one more than AWS gives for free", () => {
  expect(alarms()).toHaveLength(10);
  expect(alarms().flatMap(watchedBy)).toHaveLength(11);
});

test("the rate of 5xx counts at least 500 calls, so that a single failure of few calls raises no alarm", () => {
  const rate = alarms().find(({ Metrics = [] }) => Metrics.length > 2);

  expect(rate).toMatchObject({ Threshold: 0.01, ComparisonOperator: "GreaterThanOrEqualToThreshold" });
  expect(rate?.Metrics).toEqual([
    expect.objectContaining({ Expression: "errors / IF(calls < 500, 500, calls)" }),
    expect.objectContaining({ Id: "errors", MetricStat: expect.objectContaining({ Period: 300, Stat: "Sum" }) }),
    expect.objectContaining({ Id: "calls", MetricStat: expect.objectContaining({ Period: 300, Stat: "SampleCount" }) }),
  ]);
});

test("every alarm describes effect, severity and the meaning of missing data, within the length limit of AWS", () => {
  const allAlarms = Object.values(synthesize({ moreAlarms: true }).template.findResources("AWS::CloudWatch::Alarm"));
  expect(allAlarms.length).toBeGreaterThan(20);
  for (const alarm of [...alarms(), ...allAlarms.map(({ Properties }) => Properties)]) {
    // Place to read next: a log, a graph, a queue, a page of the provider's.
    expect(alarm.AlarmDescription).toMatch(/\b(?:[Rr]ead|[Ll]ook(?: at| for)?|the log)\b/u);
    expect(alarm.AlarmDescription.length).toBeLessThanOrEqual(1024);
    expect(alarm).toMatchObject({
      AlarmDescription: expect.stringMatching(/^[A-Z].{30,}\.$/u),
      TreatMissingData: expect.stringMatching(/^(?:breaching|notBreaching)$/u),
    });
    const [, severity] = / Severity: (page|ticket)\. /u.exec(alarm.AlarmDescription) ?? [];
    expect(alarm.Tags).toContainEqual({ Key: "severity", Value: severity });
  }
});

test("only the sweeper's missing data is an alarm", () => {
  const silent = alarms().filter(({ TreatMissingData }) => TreatMissingData === "breaching");

  expect(silent).toEqual([
    expect.objectContaining({
      MetricName: "Invocations",
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      EvaluationPeriods: 3,
      Period: 60,
    }),
  ]);
});

test("every dead-letter queue has an alarm", () => {
  const watched = alarms().flatMap((alarm) => watchedQueue(alarm) ?? []);
  const queues = Object.keys(template.findResources("AWS::SQS::Queue")).filter((id) => id.includes("DeadLetters"));

  expect(watched.toSorted()).toEqual(queues.toSorted());
});

test("a new dead letter resets its alarm for a minute, so that it notifies again beside old ones", () => {
  const letters = alarms().filter((alarm) => watchedQueue(alarm) !== undefined);

  expect(letters).toHaveLength(4);
  for (const { Metrics, Threshold, EvaluationPeriods, AlarmDescription } of letters) {
    expect(Metrics).toEqual([
      expect.objectContaining({ Expression: "IF(DIFF(letters) > 0, 0, letters)" }),
      { Id: "letters", ReturnData: false, MetricStat: expect.objectContaining({ Period: 60, Stat: "Maximum" }) },
    ]);
    expect({ Threshold, EvaluationPeriods, AlarmDescription }).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
  }
});

test("alarms can be chosen one by one, including those that cost money", () => {
  const chosenAlarms = ["OperationsLag", "OperationsMoreProviderAway"];
  const alarmResources = synthesize({ alarms: chosenAlarms }).template.findResources("AWS::CloudWatch::Alarm");

  expect(
    Object.keys(alarmResources)
      .map((id) => id.replace(/[0-9A-F]{8}$/u, ""))
      .toSorted(),
  ).toEqual(chosenAlarms);
  expect(synthesize({ alarms: [] }).template.findResources("AWS::CloudWatch::Alarm")).toEqual({});
});

test("each unknown alarm is refused in a sentence that names the most similar one of all, or else lists them", () => {
  expect(() => synthesize({ alarms: ["OperationsLags", "operations-more-worker-error", "CPU"] })).toThrow(
    [
      'The setting alarms names "OperationsLags", which is no alarm; did you mean OperationsLag?',
      'The setting alarms names "operations-more-worker-error", which is no alarm; did you mean OperationsMoreWorkerErrors?',
      'The setting alarms names "CPU", which is no alarm; known are: TraceUpkeepAggregateTracesDeadLettersNotEmpty, ',
    ].join("\n"),
  );
});

test("a deployment is warned if no alarm reaches anybody, and only then", () => {
  const warnings = (context: Record<string, unknown>) =>
    Annotations.fromStack(synthesize(context).stack).findWarning("*", Match.stringLikeRegexp("Alarms notify nobody"));

  expect(warnings({})).toHaveLength(1);
  expect(warnings({ alarmEmail: "operator@example.com" })).toEqual([]);
  expect(warnings({ alarmTopicArn: "arn:aws:sns:eu-central-1:123456789012:operators" })).toEqual([]);
});

test("a deployment is warned if judging has no monthly ceiling, and only then", () => {
  const warnings = (context: Record<string, unknown>) =>
    Annotations.fromStack(synthesize(context).stack).findWarning("*", Match.stringLikeRegexp("no monthly ceiling"));

  expect(warnings({})).toHaveLength(1);
  expect(warnings({ projectMonthlyCostCeilingUsd: 5 })).toEqual([]);
});

const ofType = (type: string) => Object.values(template.findResources(type)).map(({ Properties }) => Properties);

/** The dead-letter queue of a worker: of its mapping, of the queue that it reads, or of its failed executions. */
const deadLettersOf = (id: string): string | undefined => {
  const calls = ({ FunctionName }: { readonly FunctionName: unknown }) =>
    JSON.stringify(FunctionName).includes(`"${id}"`);
  const mapping = ofType("AWS::Lambda::EventSourceMapping").find(calls);
  const failures =
    mapping?.DestinationConfig ?? ofType("AWS::Lambda::EventInvokeConfig").find(calls)?.DestinationConfig;
  const source = mapping?.EventSourceArn["Fn::GetAtt"][0];
  const redrive = template.findResources("AWS::SQS::Queue")[source]?.Properties.RedrivePolicy;
  return (failures?.OnFailure.Destination ?? redrive?.deadLetterTargetArn)?.["Fn::GetAtt"][0];
};

test("the alarm of each dead-letter queue describes the failure of every worker that sends to it", () => {
  const workers = Object.keys(template.findResources("AWS::Lambda::Function")).filter((id) =>
    id.includes("WorkerFunction"),
  );
  const filled = Map.groupBy(workers, deadLettersOf);
  const watched = new Map(
    alarms()
      .filter((alarm) => watchedQueue(alarm) !== undefined)
      .map((alarm) => [watchedQueue(alarm) ?? "", String(alarm.AlarmDescription)]),
  );

  expect(workers).toHaveLength(9);
  expect([...filled.keys()].toSorted()).toEqual([...watched.keys()].toSorted());
  for (const [queue, workers] of filled) {
    const names = workers.map((id) => id.replace(/WorkerFunction[0-9A-F]{8}$/u, ""));
    const workerNames = [...(watched.get(queue ?? "") ?? "").matchAll(/(\w+): [A-Z]/gu)].map(([, name]) => name);
    expect(workerNames.toSorted()).toEqual(workers.length === 1 ? [] : names.toSorted());
  }
});

test("one saved query searches all log groups, as many as Logs Insights reads at a time", () => {
  const [query, ...others] = ofType("AWS::Logs::QueryDefinition");
  const groups = Object.keys(template.findResources("AWS::Logs::LogGroup"));

  expect(others).toEqual([]);
  expect(query).toMatchObject({ Name: "assay/dev/lines-of-an-id", QueryString: expect.stringContaining('like "ID"') });
  expect(query?.LogGroupNames.map(({ Ref }: { readonly Ref: string }) => Ref).toSorted()).toEqual(groups.toSorted());
  expect(groups.length).toBeLessThanOrEqual(50);
});

test("a dead-letter queue without a sender is an error", () => {
  const forgotten = new Stack(new App({ outdir: temporaryDirectory() }), "forgotten");
  const { queue } = new DeadLetters(forgotten, "DeadLetters");

  expect(queue.node.path).toBe("forgotten/DeadLetters/Queue");
  expect(() => Template.fromStack(forgotten)).toThrow("forgotten/DeadLetters: no worker sends failures here.");
});

/** Policies of the topics, by topic. */
const topicPolicies = () =>
  Object.values(template.findResources("AWS::SNS::TopicPolicy")).flatMap(({ Properties }) =>
    list(Properties.Topics).map(
      ({ Ref }: { readonly Ref: string }) => [Ref, Properties.PolicyDocument.Statement] as const,
    ),
  );

test("every alarm may publish its beginning and its end to its topic, and the topic has a subscriber", () => {
  const policies = new Map(topicPolicies());
  const subscribed = Object.values(template.findResources("AWS::SNS::Subscription")).map(
    ({ Properties }) => Properties.TopicArn.Ref,
  );

  for (const { AlarmActions, OKActions } of alarms()) {
    expect(OKActions).toEqual(AlarmActions);
    const topic = AlarmActions[0].Ref;
    expect(policies.get(topic)).toContainEqual({
      Sid: "AllowAlarms",
      Effect: "Allow",
      Principal: { Service: "cloudwatch.amazonaws.com" },
      Action: "sns:Publish",
      Resource: { Ref: topic },
      Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
    });
    expect(subscribed).toContain(topic);
  }
});

test("alarms are sent to an existing topic, and no topic is created for them", () => {
  const alarmTopicArn = "arn:aws:sns:eu-central-1:123456789012:operators";
  const withTopic = synthesize({ alarmTopicArn }).template;
  const actions = Object.values(withTopic.findResources("AWS::CloudWatch::Alarm")).map(
    ({ Properties }) => Properties.AlarmActions,
  );

  expect(new Set(actions.flat())).toEqual(new Set([alarmTopicArn]));
  expect(withTopic.findResources("AWS::SNS::Topic")).toEqual({});
});

test("alarms are sent to the operator's email address if it is set, and otherwise to nobody", () => {
  const quiet = synthesize().template;

  expect(alarms().filter(({ AlarmActions }) => AlarmActions?.length !== 1)).toEqual([]);
  expect(Object.keys(template.findResources("AWS::SNS::Subscription"))).toHaveLength(1);
  expect(Object.keys(quiet.findResources("AWS::SNS::Topic"))).toEqual([]);
});

const violations = (scope: Stack) =>
  new AwsSolutionsChecks().validateScope(scope).violations.map(({ ruleName }) => ruleName);

test("the AWS Solutions checks find the mistakes of a careless resource", () => {
  const careless = new Stack(new App({ outdir: temporaryDirectory() }), "careless");
  const bucket = new Bucket(careless, "Bucket");

  expect(bucket.node.path).toBe("careless/Bucket");
  expect(violations(careless)).toContain("AwsSolutions-S1");
});

const monitorsArn = "arn:aws:dynamodb:eu-central-1:123456789012:table/monitors-restored";

test.each([
  {},
  {
    moreAlarms: true,
    gatewayLogRole: true,
    alarmEmail: "operator@example.com",
    restoredTables: { dev: { monitors: monitorsArn } },
  },
  everySetting,
])("the AWS Solutions checks have no open finding with the settings %j", (context) => {
  expect(violations(synthesize(context).stack)).toEqual([]);
});

test("every suppressed finding belongs to one resource and has its reason", () => {
  const answered = stack.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .map(({ data }) => ({ path: node.path, rules: JSON.stringify(data) })),
    );

  expect(answered.length).toBeGreaterThan(0);
  for (const { path, rules } of answered) {
    expect(path.split("/").length).toBeGreaterThan(2);
    expect(rules).toMatch(/\w+ \w+ \w+ \w+/u);
  }
});
