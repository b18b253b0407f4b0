import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { buildApp } from "fauxqs";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";
import { operate } from "../../../infra/operate/operate.ts";
import { tableOutput } from "../../../infra/table-reference.ts";
import { failureSentence, parseCommandLine } from "../../../infra/command-line.ts";
import { hashApiKey } from "../../../lib/domain/access/identity.ts";
import { operator } from "../../../lib/domain/access/principal.ts";
import { offsetPage } from "../../../lib/domain/page.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { auditTrail } from "../../../lib/store/access/audit.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { tableNames } from "../../../lib/dynamo/table.ts";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

const account = "000000000000";
const app = buildApp({ logger: false, defaultRegion: "us-east-1" });
let [database, sqs]: [TestDatabase, SQSClient] = [undefined as never, undefined as never];
let [queues, deadLetters, streamLetters] = ["", "", ""];
let stop: () => Promise<void>;
let cloudFormation: CloudFormationClient;

const member = (fields: Readonly<Record<string, string>>): string =>
  `<member>${Object.entries(fields)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("")}</member>`;

const reply = (action: string, inner: string): string =>
  `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`;

/** CloudFormation's description of the stack: its tables are those of the test, its queues those of this file. */
const answer = (body: string): string => {
  if (body.includes("Action=DescribeStacks")) {
    const outputs = tableNames.map((name) => member({ OutputKey: tableOutput(name), OutputValue: name }));
    return reply(
      "DescribeStacks",
      `<Stacks><member><StackName>assay-blue</StackName><Outputs>${outputs.join("")}</Outputs></member></Stacks>`,
    );
  }
  const resource = (LogicalResourceId: string, PhysicalResourceId: string): string =>
    member({ LogicalResourceId, PhysicalResourceId, ResourceType: "AWS::SQS::Queue" });
  const resources = [
    resource("EvaluationJudgeSliceQueue", queues),
    resource("EvaluationJudgeSliceDeadLettersQueue", deadLetters),
    resource("TraceUpkeepAggregateTracesDeadLettersQueue", streamLetters),
  ];
  return reply("ListStackResources", `<StackResourceSummaries>${resources.join("")}</StackResourceSummaries>`);
};

beforeAll(async () => {
  database = await startDatabase();
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  sqs = new SQSClient(localClient(url));
  const server = await listenOnLoopback(
    createServer((request, response) => void text(request).then((body) => response.end(answer(body)))),
  );
  cloudFormation = new CloudFormationClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
  });
  stop = async () => {
    await server.close();
    await app.close();
    await database.close();
  };
});
afterAll(() => stop());

beforeEach(async () => {
  const create = async (name: string, Attributes: Record<string, string> = {}): Promise<string> =>
    (await sqs.send(new CreateQueueCommand({ QueueName: `${name}-${randomUUID()}`, Attributes }))).QueueUrl ?? "";
  deadLetters = await create("dead");
  streamLetters = await create("streams");
  const deadLetterTargetArn = `arn:aws:sqs:us-east-1:${account}:${deadLetters.split("/").at(-1)}`;
  queues = await create("slices", { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 }) });
});

const send = (QueueUrl: string, body: unknown): Promise<unknown> =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));

const numberIn = async (QueueUrl: string): Promise<number> => {
  const AttributeNames = ["ApproximateNumberOfMessages" as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.["ApproximateNumberOfMessages"]);
};

const failure = {
  version: "1.0",
  timestamp: "2026-11-21T09:00:00.000Z",
  requestContext: {
    functionArn: "arn:aws:lambda:eu-central-1:123456789012:function:assay-blue-aggregate-traces:$LATEST",
    condition: "RetryAttemptsExhausted",
  },
  DDBStreamBatchInfo: { shardId: "shardId-1", startSequenceNumber: "1", endSequenceNumber: "2" },
};

/**
 * Runs a command.
 * @returns its exit code and its output
 */
const runCommand = async (
  words: readonly string[],
  options: Partial<Parameters<typeof operate>[1]> = {},
  answer: string | null = null,
) => {
  const lines: string[] = [];
  const choices = { stage: "blue", discard: false, local: false, yes: false, ...options };
  const ask = async (question: string) => {
    lines.push(question);
    return answer;
  };
  const print = (line: string) => void lines.push(line);
  const code = await operate(words, choices, { cloudFormation, sqs, database, print, ask });
  return { code, lines };
};

test("dead letters of each queue are counted, and other queues are ignored", async () => {
  await send(deadLetters, { run: "a" });
  await send(queues, { run: "b" });

  expect(await runCommand(["dead-letters"])).toEqual({
    code: 0,
    lines: ["EvaluationJudgeSliceDeadLettersQueue: 1 letter", "TraceUpkeepAggregateTracesDeadLettersQueue: 0 letters"],
  });
});

test("a dead letter from a queue is sent to it again unchanged; a report of a failure stays, and its function is named", async () => {
  for (const run of ["a", "b", "c"]) await send(deadLetters, { run });
  await send(streamLetters, failure);

  const { code, lines } = await runCommand(["redrive"]);

  expect(code).toBe(0);
  expect(lines).toEqual([
    "EvaluationJudgeSliceDeadLettersQueue: 3 sent again, 0 discarded, 0 left",
    "TraceUpkeepAggregateTracesDeadLettersQueue: 0 sent again, 0 discarded, 1 left",
    "  2026-11-21T09:00:00.000Z assay-blue-aggregate-traces: RetryAttemptsExhausted",
  ]);
  expect([await numberIn(queues), await numberIn(deadLetters)]).toEqual([3, 0]);
});

test("of an event that was not delivered rule, reason, kind and id are printed, and nothing of its content", async () => {
  const event = {
    source: "assay",
    "detail-type": "alert.raised",
    time: "2026-11-21T09:00:00Z",
    detail: { id: "00000000-0000-8000-8000-000000000001", alert_name: "secret name" },
  };
  const attribute = (StringValue: string) => ({ DataType: "String", StringValue });
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: streamLetters,
      MessageBody: JSON.stringify(event),
      MessageAttributes: {
        RULE_ARN: attribute("arn:aws:events:eu-central-1:123456789012:rule/team-events/assay-blue-slack-1"),
        ERROR_CODE: attribute("SDK_CLIENT_ERROR"),
      },
    }),
  );

  expect((await runCommand(["redrive"])).lines).toEqual([
    "TraceUpkeepAggregateTracesDeadLettersQueue: 0 sent again, 0 discarded, 1 left",
    `  2026-11-21T09:00:00Z assay-blue-slack-1: SDK_CLIENT_ERROR (alert.raised ${event.detail.id})`,
  ]);
});

test("with the option, reports of failures are discarded, and never a message", async () => {
  await send(deadLetters, { run: "a" });
  await send(deadLetters, failure);
  await send(streamLetters, failure);

  expect((await runCommand(["redrive"], { discard: true })).lines).toEqual([
    "EvaluationJudgeSliceDeadLettersQueue: 1 sent again, 1 discarded, 0 left",
    "TraceUpkeepAggregateTracesDeadLettersQueue: 0 sent again, 1 discarded, 0 left",
  ]);
  expect([await numberIn(queues), await numberIn(streamLetters)]).toEqual([1, 0]);
});

test("sums are compared for an existing project only", async () => {
  const project = randomUUID();
  await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(project) }));

  expect((await runCommand(["rebuild", "counters"], { project })).lines.slice(-3)).toEqual([
    "0 hours of traces compared, 0 recomputed.",
    "0 hours of scores compared, 0 marked: repaired after a day.",
    "0 lists marked: repaired after ten minutes. Totals of traces are being recounted.",
  ]);
  await expect(runCommand(["rebuild", "counters"], { project: randomUUID() })).rejects.toThrow("There is no project");
  await expect(runCommand(["rebuild", "counters"])).rejects.toThrow("Which project?");
});

test.each([
  [[], "Which command?"],
  [["rebuild"], "There is no command rebuild; known are: dead-letters, redrive, "],
  [["redrive", "all"], "redrive takes no more words."],
  [["key", "revok", "x"], "There is no command key revok; did you mean keys revoke?"],
  [["keys", "revoke"], "keys revoke takes the id of one API key."],
  [["projects", "delete", "a", "b"], "projects delete takes the id of one project."],
])("%j is no command: the commands are printed with a sentence, and nothing is done", async (words, sentence) => {
  await send(deadLetters, { run: "a" });

  const { code, lines } = await runCommand(words);

  expect([code, lines]).toEqual([1, [expect.stringContaining("npm run operate -- redrive")]]);
  expect(lines[0]?.split("\n").at(-1)).toContain(sentence);
  expect(await numberIn(deadLetters)).toBe(1);
});

describe("API keys", () => {
  const day = 86_400_000;
  let organization: string;
  beforeEach(async () => {
    organization = await accessStore(database, 10).createOrganization("Acme");
  });
  const newKey = (name: string, lifetime: number | null = null) =>
    apiKeyStore(database).create(organization, name, lifetime, { access: "read", projectId: null });
  const stored = (id: string) => apiKeyStore(database).get(organization, id);

  test("are listed with organization, scope, state and end, of one organization or of all", async () => {
    const [endless, expired] = [await newKey("endless"), await newKey("expired", -day)];
    const other = await accessStore(database, 10).createOrganization("Beta");

    const { lines } = await runCommand(["keys", "list"]);
    const ofOne = await runCommand(["keys", "list"], { organization });

    expect(lines).toEqual(expect.arrayContaining([...ofOne.lines, `Beta  ${other}`]));
    expect(ofOne.lines[0]).toBe(`Acme  ${organization}`);
    expect(
      ofOne.lines
        .slice(1)
        .map((line) => line.replaceAll(/\d{4}-\d\d-\d\d/gu, "DAY"))
        .toSorted(),
    ).toEqual(
      [
        `  ${expired.id}  sk_as_s_${expired.key.slice(8, 10)}...  expired: read, expired, made DAY, ends DAY, never used`,
        `  ${endless.id}  sk_as_s_${endless.key.slice(8, 10)}...  endless: read, active, made DAY, no end, never used`,
      ].toSorted(),
    );
    await expect(runCommand(["keys", "list"], { organization: randomUUID() })).rejects.toThrow(
      "There is no organization",
    );
  });

  test("are revoked after their name is typed, or with --yes; the audit names the operator", async () => {
    const [typed, confirmed, kept] = [await newKey("typed"), await newKey("confirmed"), await newKey("kept")];

    await runCommand(["keys", "revoke", typed.id], {}, "typed");
    await runCommand(["keys", "revoke", confirmed.id], { organization, yes: true });
    await expect(runCommand(["keys", "revoke", kept.id], {}, "Kept")).rejects.toThrow("That is another name.");
    await expect(runCommand(["keys", "revoke", kept.id])).rejects.toThrow("add --yes where nobody can be asked");

    const states = await Promise.all([typed, confirmed, kept].map(async ({ id }) => (await stored(id))?.revoked));
    expect(states).toEqual([true, true, false]);
    const { items } = await auditTrail(database).page(organization, offsetPage(10, 0));
    expect(items).toMatchObject([{ action: "api_key.revoked", actorId: operator.userId, target: confirmed.id }, {}]);
    await expect(runCommand(["keys", "revoke", randomUUID()], { yes: true })).rejects.toThrow("not-found");
  });

  test.each<readonly [string, number | null, number | undefined, number | null]>([
    ["without an end by one without an end", null, undefined, null],
    ["with an end by one of 90 days", 5 * day, undefined, 90],
    ["without an end by one of so many days", null, 7, 7],
  ])("%s are rotated", async (_, lifetime, expiresDays, days) => {
    const before = await newKey("exporter", lifetime);

    const { lines } = await runCommand(["keys", "rotate", before.id], { organization, expiresDays });

    const key = await apiKeyStore(database).find(hashApiKey(/sk_as_s_[0-9a-f]{64}/u.exec(lines.join("\n"))?.[0] ?? ""));
    expect(key).toMatchObject({ name: "exporter", scope: { access: "read" }, revoked: false });
    expect(key?.expiresAt === null || key === null ? null : Math.round((key.expiresAt - Date.now()) / day)).toBe(days);
    expect(await stored(before.id)).toMatchObject({ revoked: false });
  });

  test("that are revoked cannot be rotated", async () => {
    const { id } = await newKey("exporter");
    await runCommand(["keys", "revoke", id], { organization, yes: true });

    const rotation = runCommand(["keys", "rotate", id], { organization }).catch(failureSentence);

    expect(await rotation).toBe("Cannot rotate a revoked API key.");
  });

  test("and projects are deleted with their organization by its name, a project by itself", async () => {
    const project = await accessStore(database, 10).findOrCreateProject(organization, "first");
    await accessStore(database, 10).findOrCreateProject(organization, "second");

    await expect(runCommand(["projects", "delete", project.id], {}, "second")).rejects.toThrow("Nothing was changed.");
    await runCommand(["projects", "delete", project.id], {}, "first");
    const again = await runCommand(["projects", "delete", project.id], { yes: true }).catch(failureSentence);
    const { lines } = await runCommand(["organizations", "delete", organization], {}, "Acme");

    expect(again).toBe(`Project ${project.id} not found.`);
    expect(lines[0]).toContain("its API keys and its projects (1) with all their data will be deleted");
    expect(await organizationStore(database).find(organization)).toBeNull();
    const deletions = deletionStore(database);
    const requestedBy = operator.userId;
    expect((await deletions.ofOrganization(organization, offsetPage(1, 0))).items).toMatchObject([
      { id: project.id, kind: "PROJECT", requestedBy },
    ]);
    expect((await deletions.ofUser(requestedBy, offsetPage(1, 0))).items).toMatchObject([
      { id: organization, kind: "ORGANIZATION", requestedBy },
    ]);
  });
});

test("a command for queues says that the local service has none to operate", async () => {
  const { code, lines } = await runCommand(["redrive"], { local: true });

  expect([code, lines[0]?.split("\n").at(-1)]).toEqual([1, expect.stringContaining("in memory")]);
});

test("an unknown flag is answered with the nearest one", () => {
  expect(() => parseCommandLine({ organization: { type: "string" } }, ["--organisation", "x"])).toThrow(
    "There is no flag --organisation; did you mean --organization?",
  );
  expect(() => parseCommandLine({ yes: { type: "boolean" } }, ["--yes=no"])).toThrow("does not take an argument");
});
