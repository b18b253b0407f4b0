import {
  EventBridgeClient,
  ListRulesCommand,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from "@aws-sdk/client-eventbridge";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type DeliveredEvent, startEventBus } from "../../../infra/local/events/event-bus.ts";
import { eventFileWriter } from "../../../infra/local/events/event-file.ts";
import { eventLine } from "../../../infra/local/events/event-line.ts";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { isAllowed } from "../../../infra/local/iam/decision.ts";
import { jsonCallPermissions } from "../../../infra/local/iam/json-permissions.ts";
import { arn } from "../../../infra/local/template/arn.ts";
import { eventBus } from "../../../lib/events/event-bus.ts";
import { temporaryDirectory } from "../../support/service/local-fixture.ts";

const start = async () => {
  const delivered: DeliveredEvent[] = [];
  const service = await startEventBus((event) => void delivered.push(event));
  onTestFinished(() => service.close());
  const client = new EventBridgeClient({ ...localClient(service.url), maxAttempts: 1 });
  const put = (...Entries: PutEventsRequestEntry[]) => client.send(new PutEventsCommand({ Entries }));
  return { client, delivered, put };
};

const entry = { Source: "assay", DetailType: "Something", Detail: '{"a":1}' };

test("the service's events are delivered in the form that a rule's targets receive", async () => {
  const { client, delivered } = await start();

  const codes = await eventBus(client).put([
    { detailType: "Something", time: "2026-11-21T09:00:00+00:00", detail: { a: 1 } },
  ]);

  expect(codes).toEqual([null]);
  expect(delivered).toEqual([
    {
      version: "0",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      "detail-type": "Something",
      source: "assay",
      account: "000000000000",
      time: "2026-11-21T09:00:00Z",
      region: "us-east-1",
      resources: [],
      detail: { a: 1 },
    },
  ]);
});

test("an invalid entry is refused alone", async () => {
  const { delivered, put } = await start();

  const { FailedEntryCount, Entries } = await put(
    entry,
    { ...entry, Detail: "{" },
    { ...entry, Detail: "[]" },
    { Source: "assay", Detail: "{}" },
  );

  expect(FailedEntryCount).toBe(3);
  expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
    undefined,
    "MalformedDetail",
    "MalformedDetail",
    "InvalidArgument",
  ]);
  expect(delivered).toHaveLength(1);
});

test("error codes of refused entries are at the entries' positions", async () => {
  const { client, delivered } = await start();
  const event = { detailType: "Something", time: "2026-11-21T09:00:00Z", detail: {} };

  const codes = await eventBus(client).put([event, { ...event, detailType: "" }, event]);

  expect(codes).toEqual([null, "InvalidArgument", null]);
  expect(delivered).toHaveLength(2);
});

test("more than ten entries, another bus and another action are refused whole", async () => {
  const { client, delivered, put } = await start();

  await expect(put(...Array.from({ length: 11 }, () => entry))).rejects.toMatchObject({ name: "ValidationException" });
  await expect(put(entry, { ...entry, EventBusName: "other" })).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
  await expect(client.send(new ListRulesCommand({}))).rejects.toMatchObject({ name: "UnknownOperationException" });
  expect(delivered).toEqual([]);
});

const invitation: DeliveredEvent = {
  version: "0",
  id: "e",
  "detail-type": "invitation.created",
  source: "assay",
  account: "000000000000",
  time: "2026-11-21T09:00:00Z",
  region: "us-east-1",
  resources: [],
  detail: { invitation_id: "i", organization_name: "Acme", email: "bob@\u001b[2Jexample.com", role: "MEMBER" },
};

test("an event of the service is one line without control characters, an invitation with the call that accepts it", () => {
  expect(eventLine(invitation)).toBe(
    "Invitation for bob@[2Jexample.com to Acme as MEMBER: accept it with POST /me/invitations/i/accept",
  );
  expect(eventLine({ ...invitation, "detail-type": "run.failed", detail: { url: "http://127.0.0.1/\u0007x" } })).toBe(
    "Event run.failed: http://127.0.0.1/x",
  );
  expect(eventLine({ ...invitation, source: "aws.ec2" })).toBeNull();
});

test("events are stored one per line", () => {
  const directory = temporaryDirectory();
  const keep = eventFileWriter(directory);

  keep(invitation);
  keep({ ...invitation, id: "f" });

  const lines = readFileSync(join(directory, "events.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([invitation, { ...invitation, id: "f" }]);
});

test.each<[string, readonly object[], boolean]>([
  ["events of its own source", [{ Source: "assay" }, { Source: "assay" }], true],
  ["events of another source among them", [{ Source: "assay" }, { Source: "aws.ec2" }], false],
  ["events of no source", [{}], false],
  ["events for another bus", [{ Source: "assay", EventBusName: "other" }], false],
])("a role that may put events of one source on the default bus may put %s: %#", (_, Entries, allowed) => {
  const statement = {
    effect: "Allow",
    actions: ["events:PutEvents"],
    resources: [arn("events", "event-bus/default")],
    conditions: {
      "ForAllValues:StringEquals": { "events:source": "assay" },
      Null: { "events:source": "false" },
    },
  };

  const needs = jsonCallPermissions("AWSEvents.PutEvents", { Entries });

  expect(needs.every((need) => isAllowed([statement], need))).toBe(allowed);
});

test("an unknown condition is an error, not a match", () => {
  const statement = {
    effect: "Allow",
    actions: ["a:B"],
    resources: ["*"],
    conditions: { IpAddress: { "aws:SourceIp": "10.0.0.1" } },
  };

  expect(() => isAllowed([statement], { action: "a:B", resource: "c" })).toThrow(
    "The condition operator IpAddress is not supported.",
  );
});
