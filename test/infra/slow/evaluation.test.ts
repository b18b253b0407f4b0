import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { attemptMilliseconds } from "../../../lib/domain/monitors/attempts.ts";
import { list, statements } from "../policies.ts";
import { synthesize } from "../synthesize.ts";

let template: Template;
/** Template of a deployment with Bedrock, an embedding model, prices and ceilings in its settings. */
let customTemplate: Template;
beforeAll(() => {
  ({ template } = synthesize({ judgeMaxConcurrency: 3, judgeCallsPerWorker: 4 }));
  ({ template: customTemplate } = synthesize({
    providers: { bedrock: {} },
    embeddingModel: "bedrock/amazon.titan-embed-text-v2:0",
    prices: { "custom/llama": { input: 1, output: 2 } },
    transcripts: { characters: { "custom/llama": 200_000 } },
    monthlyCostCeilingUsd: 100,
    projectMonthlyCostCeilingUsd: "12.5",
    organizationMonthlyCostCeilingUsd: 50,
  }));
});

const resources = (type: string) => Object.entries(template.findResources(type));
const onlyResource = (type: string, prefix: string) => {
  const matchingResources = resources(type).filter(([id]) => id.startsWith(prefix));
  expect(matchingResources).toHaveLength(1);
  return matchingResources[0]?.[1].Properties;
};
const streamMappings = () =>
  resources("AWS::Lambda::EventSourceMapping")
    .map(([, { Properties }]) => Properties)
    .filter(({ StartingPosition }) => StartingPosition !== undefined);
const isDeadLetters = (id: string): boolean => id.includes("DeadLetters");

test("every queue with a worker has a dead-letter queue, and dead letters are kept 14 days", () => {
  const queues = resources("AWS::SQS::Queue");

  expect(queues.filter(([id, { Properties }]) => !isDeadLetters(id) && Properties.RedrivePolicy === undefined)).toEqual(
    [],
  );
  for (const [, { Properties }] of queues) expect(Properties.MessageRetentionPeriod).toBe(14 * 24 * 3600);
});

test("every queue refuses plain HTTP", () => {
  const guarded = resources("AWS::SQS::QueuePolicy").flatMap(([, { Properties }]) => {
    const denies = Properties.PolicyDocument.Statement.some(
      (statement: { Effect: string; Condition?: unknown }) =>
        statement.Effect === "Deny" && JSON.stringify(statement.Condition).includes('"aws:SecureTransport":"false"'),
    );
    return denies ? list(Properties.Queues).map((queue: { Ref: string }) => queue.Ref) : [];
  });

  expect(guarded.toSorted()).toEqual(
    resources("AWS::SQS::Queue")
      .map(([id]) => id)
      .toSorted(),
  );
});

test("a message's visibility time-out is at least its function's time-out", () => {
  const queue = onlyResource("AWS::SQS::Queue", "EvaluationJudgeSliceQueue");
  const worker = onlyResource("AWS::Lambda::Function", "EvaluationJudgeSlice");

  expect(worker.Timeout).toBe(180);
  expect(queue).toMatchObject({ VisibilityTimeout: 200, RedrivePolicy: { maxReceiveCount: 1000 } });
});

test("an attempt at a firing ends before its message is visible again, and its worker ends before that", () => {
  const queue = onlyResource("AWS::SQS::Queue", "MonitoringFireMonitorQueue");
  const worker = onlyResource("AWS::Lambda::Function", "MonitoringFireMonitor");

  expect(worker.Timeout).toBe(180);
  expect(attemptMilliseconds).toBeGreaterThan(180_000);
  expect(queue).toMatchObject({ VisibilityTimeout: 200, RedrivePolicy: { maxReceiveCount: 10 } });
  expect(attemptMilliseconds).toBeLessThan(200_000);
});

test("judges take one slice each, report it separately, and are no more than the operator allows", () => {
  const mapping = resources("AWS::Lambda::EventSourceMapping")
    .map(([, { Properties }]) => Properties)
    .find(({ StartingPosition }) => StartingPosition === undefined);

  expect(mapping).toMatchObject({
    BatchSize: 1,
    FunctionResponseTypes: ["ReportBatchItemFailures"],
    ScalingConfig: { MaximumConcurrency: 3 },
  });
});

test("the judge's environment has its queue and the names of its providers' parameters, never an API key", () => {
  const { Variables } = onlyResource("AWS::Lambda::Function", "EvaluationJudgeSlice").Environment;

  expect(Variables).toMatchObject({
    JUDGE_QUEUE_URL: { Ref: expect.stringMatching(/^EvaluationJudgeSliceQueue/u) },
    JUDGE_CALLS_PER_WORKER: "4",
  });
  expect(JSON.parse(Variables.JUDGE_PROVIDERS)).toMatchObject({
    openai: { key: "/assay/dev/judge/openai/key", baseUrl: "/assay/dev/judge/openai/base-url" },
    anthropic: { key: "/assay/dev/judge/anthropic/key" },
  });
});

test("the judge, previews and the list of providers may read exactly the providers' parameters, who asks for prices addresses alone", () => {
  const reads = statements(template)
    .filter(({ Action }) => list(Action).some((action) => action.startsWith("ssm:")))
    .filter(({ role }) => !role.startsWith("InvitationsAnnounce"));
  const namesByRole = reads.map(({ role, Action, Resource }) => [
    role.replace(/Function[0-9A-F]{8}$/u, ""),
    Action,
    list(Resource)
      .map((resource) => /parameter\/assay\/dev\/judge(\/[^"]+)"/u.exec(JSON.stringify(resource))?.[1])
      .toSorted(),
  ]);
  const addresses = ["/custom/base-url", "/systemone/base-url"];
  const parameters = [
    ...addresses,
    "/openai/key",
    "/openai/base-url",
    "/anthropic/key",
    "/gemini/key",
    "/vertex_ai/key",
    "/vertex_ai/base-url",
    "/openrouter/key",
    "/custom/key",
    "/systemone/key",
  ].toSorted();

  expect(namesByRole.toSorted()).toEqual([
    ["ApiRoutescreateMonitor", "ssm:GetParameter", addresses],
    ["ApiRoutescreateSessionBatchRun", "ssm:GetParameter", addresses],
    ["ApiRoutescreateSessionRun", "ssm:GetParameter", addresses],
    ["ApiRoutescreateTraceBatchRun", "ssm:GetParameter", addresses],
    ["ApiRoutescreateTraceRun", "ssm:GetParameter", addresses],
    ["ApiRouteslistProviders", "ssm:GetParameter", parameters],
    ["ApiRoutespreviewOwnMetric", "ssm:GetParameter", parameters],
    ["ApiRoutesretrySessionRun", "ssm:GetParameter", addresses],
    ["ApiRoutesretryTraceRun", "ssm:GetParameter", addresses],
    ["ApiRoutesupdateMonitor", "ssm:GetParameter", addresses],
    ["EvaluationJudgeSliceWorker", "ssm:GetParameter", parameters],
  ]);
});

test("Bedrock models may be invoked by the judge and by previews alone, and only when the operator has named Bedrock", () => {
  const invokers = (source: Template) =>
    statements(source)
      .filter(({ Action }) => list(Action).some((action) => action.startsWith("bedrock:")))
      .map(({ role, Action }) => [role.replace(/Function[0-9A-F]{8}$/u, ""), Action]);

  expect(invokers(template)).toEqual([]);
  expect(invokers(customTemplate).toSorted()).toEqual([
    ["ApiRoutespreviewOwnMetric", "bedrock:InvokeModel"],
    ["EvaluationJudgeSliceWorker", "bedrock:InvokeModel"],
  ]);
});

test("the judge and the creators of runs have prices and ceilings, budgets show the ceilings, when the operator has set them", () => {
  const environments = (source: Template) =>
    Object.values(source.findResources("AWS::Lambda::Function"))
      .map(({ Properties }) => Properties.Environment.Variables)
      .filter((variables) => "MONTHLY_COST_CEILING_USD" in variables);

  expect(environments(template)).toEqual([]);
  expect(environments(customTemplate).length).toBeGreaterThan(1);
  const ceilings = {
    MONTHLY_COST_CEILING_USD: "100",
    PROJECT_MONTHLY_COST_CEILING_USD: "12.5",
    ORGANIZATION_MONTHLY_COST_CEILING_USD: "50",
  };
  for (const variables of environments(customTemplate)) expect(variables).toMatchObject(ceilings);
  // Functions that report the remaining budget read no price.
  const withPrices = environments(customTemplate).filter(({ JUDGE_PRICES: prices }) => prices !== undefined);
  expect(environments(customTemplate).length - withPrices.length).toBe(1);
  for (const variables of withPrices)
    expect(variables).toMatchObject({ JUDGE_PRICES: '{"custom/llama":{"input":1,"output":2}}' });
  // The creation of a monitor asks whether a price is known, and reads no transcript.
  const withTranscripts = withPrices.filter(({ JUDGE_TRANSCRIPTS: transcripts }) => transcripts !== undefined);
  expect(withPrices.length - withTranscripts.length).toBe(1);
  for (const variables of withTranscripts)
    expect(variables).toMatchObject({ JUDGE_TRANSCRIPTS: '{"characters":{"custom/llama":200000}}' });
  expect(environments(customTemplate).filter(({ EMBEDDING_MODEL: model }) => model !== undefined)).toHaveLength(2);
});

test("the judges check that a project exists, and find its organization only where organizations have a ceiling", () => {
  const ofJudges = (source: Template) =>
    statements(source)
      .filter(({ role }) => role.startsWith("EvaluationJudgeSlice"))
      .filter(({ Resource }) => JSON.stringify(Resource).includes("Dataaccess"))
      .flatMap(({ Action }) => list(Action));

  expect([ofJudges(template), ofJudges(customTemplate)]).toEqual([
    ["dynamodb:GetItem"],
    ["dynamodb:GetItem", "dynamodb:BatchGetItem"],
  ]);
});

test("the sweeper knows the mapping of each stream worker, and may read the state of these alone", () => {
  const mappings = Object.entries(template.findResources("AWS::Lambda::EventSourceMapping"))
    .filter(([, { Properties }]) => "StartingPosition" in Properties)
    .map(([id]) => id);
  const { Variables } = onlyResource("AWS::Lambda::Function", "EvaluationSweep").Environment;
  const states = statements(template).filter(({ Action }) => list(Action).includes("lambda:GetEventSourceMapping"));

  expect(mappings.length).toBeGreaterThan(3);
  for (const id of mappings) expect(JSON.stringify(Variables["STREAM_MAPPINGS"])).toContain(id);
  expect(states).toHaveLength(1);
  expect(states[0]?.role).toMatch(/^EvaluationSweep/u);
  const resources = list(states[0]?.Resource).map((resource) => JSON.stringify(resource));
  expect(resources).toHaveLength(mappings.length);
  for (const id of mappings) expect(resources.join(" ")).toContain(id);
});

test("only dispatch and the sweeper may send slices to the judges", () => {
  const senders = statements(template)
    .filter(({ Action }) => list(Action).includes("sqs:SendMessage"))
    .filter(({ Resource }) => JSON.stringify(Resource).includes("EvaluationJudgeSliceQueue"))
    .map(({ role }) => role.replace(/Function[0-9A-F]{8}$/u, ""));

  expect(senders.toSorted()).toEqual(["EvaluationFollowRunsWorker", "EvaluationSweepWorker"]);
});

test("every stream is read from its beginning, discards a bad record alone, and sends it to a dead-letter queue", () => {
  expect(streamMappings()).toHaveLength(4);
  for (const mapping of streamMappings()) {
    expect(mapping).toMatchObject({ StartingPosition: "TRIM_HORIZON", BisectBatchOnFunctionError: true });
    expect(mapping.MaximumRetryAttempts).toBeGreaterThan(0);
    // The retention of a stream; a lower age would discard records that could still be handled.
    expect(mapping.MaximumRecordAgeInSeconds).toBe(24 * 3600);
    expect(JSON.stringify(mapping.DestinationConfig.OnFailure)).toContain("DeadLetters");
  }
});

test("no stream has more than two readers, the maximum of DynamoDB", () => {
  const readers = Map.groupBy(streamMappings(), ({ EventSourceArn }) => JSON.stringify(EventSourceArn));

  for (const [, mappings] of readers) expect(mappings.length).toBeLessThanOrEqual(2);
  expect(readers.size).toBeGreaterThan(0);
});

const patterns = (prefix: string) =>
  streamMappings()
    .filter(({ FunctionName }) => FunctionName.Ref.startsWith(prefix))
    .flatMap(({ FilterCriteria }) =>
      FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern)),
    );

test("runs are dispatched and counted, and events announced, in windows, from records of runs and the outbox and no other items", () => {
  const mapping = streamMappings().find(({ FunctionName }) => FunctionName.Ref.startsWith("EvaluationFollowRuns"));

  expect(mapping).toMatchObject({ TumblingWindowInSeconds: 2, BatchSize: 25 });
  expect(patterns("EvaluationFollowRuns")).toEqual([
    { dynamodb: { NewImage: { kind: { S: ["run", "event"] } } } },
    { dynamodb: { OldImage: { kind: { S: ["run"] } } } },
  ]);
});

test("totals and hours are computed in windows, and deletions purged, from records that have or had a packed row or a tombstone", () => {
  const mapping = streamMappings().find(({ FunctionName }) =>
    FunctionName.Ref.startsWith("TraceUpkeepAggregateTraces"),
  );

  expect(mapping).toMatchObject({ TumblingWindowInSeconds: 2, BatchSize: 1000 });
  expect(patterns("TraceUpkeepAggregateTraces")).toEqual([
    { dynamodb: { NewImage: { v: { N: [{ exists: true }] } } } },
    { dynamodb: { OldImage: { v: { N: [{ exists: true }] } } } },
    // Deletions, and a second pass after the last possible write.
    { dynamodb: { NewImage: { $or: [{ x: { S: [{ exists: true }] } }, { closed: { BOOL: [{ exists: true }] } }] } } },
    { dynamodb: { OldImage: { $or: [{ x: { S: [{ exists: true }] } }, { at: { N: [{ exists: true }] } }] } } },
  ]);
});

test("the sweeper runs every minute and a failed run is stored, not retried", () => {
  const schedule = onlyResource("AWS::Scheduler::Schedule", "EvaluationSweep");
  const failures = onlyResource("AWS::Lambda::EventInvokeConfig", "EvaluationSweep");

  expect(schedule).toMatchObject({
    ScheduleExpression: "rate(1 minute)",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: { RetryPolicy: { MaximumRetryAttempts: 0 } },
  });
  expect(JSON.stringify(schedule.Target.DeadLetterConfig)).toContain("EvaluationSweepDeadLetters");
  expect(failures).toMatchObject({ MaximumRetryAttempts: 0 });
  expect(JSON.stringify(failures.DestinationConfig)).toContain("EvaluationSweepDeadLetters");
});
