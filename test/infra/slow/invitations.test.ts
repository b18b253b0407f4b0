import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { list, statements } from "../policies.ts";
import { synthesize } from "../synthesize.ts";
import { watchedQueue } from "../watched.ts";

let template: Template;
beforeAll(() => {
  ({ template } = synthesize());
});

const onlyResource = (type: string) => {
  const announceResources = Object.entries(template.findResources(type)).filter(([id]) =>
    id.startsWith("InvitationsAnnounce"),
  );
  expect(announceResources).toHaveLength(1);
  return announceResources[0]?.[1].Properties;
};

test("three workers may put the service's own events on the default bus, and no other function any", () => {
  const allowed = statements(template).filter(({ Action }) =>
    list(Action).some((action) => action.startsWith("events:")),
  );

  expect(allowed).toEqual(
    [/^ScoreStatisticsFollowScoresWorker/u, /^EvaluationFollowRunsWorker/u, /^InvitationsAnnounceWorker/u].map(
      (role) => ({
        role: expect.stringMatching(role),
        Effect: "Allow",
        Action: "events:PutEvents",
        Resource: {
          "Fn::Join": [
            "",
            [
              "arn:",
              { Ref: "AWS::Partition" },
              ":events:",
              { Ref: "AWS::Region" },
              ":",
              { Ref: "AWS::AccountId" },
              ":event-bus/default",
            ],
          ],
        },
        Condition: {
          "ForAllValues:StringEquals": { "events:source": "assay" },
          Null: { "events:source": "false" },
        },
      }),
    ),
  );
});

test("every mapping leaves one of its five filters free", () => {
  const counts = Object.values(template.findResources("AWS::Lambda::EventSourceMapping")).map(
    ({ Properties }) => Properties.FilterCriteria?.Filters.length ?? 0,
  );

  expect(Math.max(...counts)).toBe(4);
});

test("no table's stream has more than one of its two readers, since each leaves one free for an upgrade", () => {
  const tableOf = (source: unknown): string | undefined =>
    /"Data([a-z]+)[0-9A-F]{8}","StreamArn"/u.exec(JSON.stringify(source))?.[1];
  const readers = Object.values(template.findResources("AWS::Lambda::EventSourceMapping")).flatMap(
    ({ Properties }) => tableOf(Properties.EventSourceArn) ?? [],
  );

  expect(
    Object.fromEntries([...Map.groupBy(readers, (table) => table)].map(([table, { length }]) => [table, length])),
  ).toEqual({
    rows: 1,
    scores: 1,
    runs: 1,
    access: 1,
  });
});

test("invitations that the worker fails to announce go to a dead-letter queue with an alarm about them", () => {
  const [queue] = onlyResource("AWS::Lambda::EventSourceMapping").DestinationConfig.OnFailure.Destination["Fn::GetAtt"];
  const alarms = Object.values(template.findResources("AWS::CloudWatch::Alarm"));
  const alarm = alarms.find(({ Properties }) => watchedQueue(Properties) === queue);

  expect(alarm?.Properties.AlarmDescription).toContain("InvitationsAnnounce: Invitations have no event");
});
