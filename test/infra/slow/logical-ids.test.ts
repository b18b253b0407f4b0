import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { synthesize } from "../synthesize.ts";

let template: Template;
beforeAll(() => {
  ({ template } = synthesize({ stage: "prod" }));
});

/** With a changed logical id, each of these resources would be replaced in every deployment, empty or under another address. */
test.each([
  [
    "AWS::DynamoDB::Table",
    [
      "Dataaccess0B838ABB",
      "DataaggregatesB1B60866",
      "DatabodiesD27D0C6F",
      "Datalimits9E6FC3BC",
      "Datamonitors1B177720",
      "Datarows57647CEA",
      "DatarunsCA5A61A4",
      "Datascores999AFB13",
      "Dataspend794F14DA",
    ],
  ],
  [
    "AWS::SQS::Queue",
    [
      "EvaluationDispatchRunDeadLettersQueueABE64630",
      "EvaluationJudgeSliceDeadLettersQueue84B4AD9E",
      "EvaluationJudgeSliceQueue7BA6C4DB",
      "EvaluationSweepDeadLettersQueueFBAE7262",
      "MonitoringFireMonitorQueueE1BB17E6",
      "TraceUpkeepAggregateTracesDeadLettersQueue325083EF",
    ],
  ],
  [
    // An event source mapping holds the position in its stream.
    "AWS::Lambda::EventSourceMapping",
    [
      "EvaluationFollowRunsMapping9AF2E8A5",
      "EvaluationJudgeSliceMapping5E9D97A6",
      "InvitationsAnnounceMapping1EDCBC8C",
      "MonitoringFireMonitorMappingB312C65F",
      "ScoreStatisticsFollowScoresMappingA871CF2B",
      "TraceUpkeepAggregateTracesMapping94B17C84",
    ],
  ],
  ["AWS::S3::Bucket", ["LakeBucketB1D32E10"]],
  ["AWS::Scheduler::ScheduleGroup", ["MonitoringSchedules411C8CD2"]],
  ["AWS::ApiGateway::RestApi", ["ApiRest4DEC74FE"]],
  ["AWS::ApiGateway::UsagePlan", ["ApiUsageClients8E9B2AEA", "ApiUsageSharedB7B54AFC"]],
  ["AWS::ApiGateway::ApiKey", ["ApiUsageSharedKey1781FA79"]],
])("every %s of a deployment keeps its logical id", (type, ids) => {
  expect(Object.keys(template.findResources(type)).toSorted()).toEqual(ids);
});
