import { readdirSync } from "node:fs";
import type { Context, DynamoDBStreamEvent, SQSEvent } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tableNames, tableVariable } from "../../../lib/dynamo/table.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { synthesize } from "../synthesize.ts";

/** Workers that the gateway, a schedule or another function calls, which have no batches. */
const withoutBatches = new Set(["authorize", "make-project", "reprice-days", "sweep", "write-lake"]);

const ofQueues = ["fire-monitor", "judge-slice"];

const workers = readdirSync(new URL("../../../functions/workers", import.meta.url))
  .map((file) => file.replace(/\.ts$/u, ""))
  .filter((name) => !withoutBatches.has(name));

/** Environment variables that the workers read when they are loaded. */
const environment: Readonly<Record<string, string>> = {
  AWS_REGION: "eu-central-1",
  [variables.stage]: "blue",
  [variables.judgeQueueUrl]: "http://127.0.0.1:9/queue",
  [variables.serviceUrl]: "https://assay.example.com",
  [variables.judgeCalls]: "1",
  [variables.judgeProviders]: "{}",
  [variables.judgeModel]: "openai/judge",
  [variables.maxTargetsPerRun]: "10",
  [variables.usagePlan]: "stack",
  [variables.gatewayKeyTags]: "{}",
  ...Object.fromEntries(tableNames.map((name) => [tableVariable(name), name])),
};

const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
beforeAll(() => {
  Object.assign(process.env, environment);
});
afterAll(() => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

type Handler = (event: unknown, context: Context) => Promise<unknown>;

const load = async (name: string): Promise<Handler> => {
  const { handler } = (await import(`../../../functions/workers/${name}.ts`)) as { readonly handler: Handler };
  return handler;
};

const ago = 1_200;

/** A batch of one unreadable record, twenty minutes old, as Lambda passes it to a worker. */
const poison = (name: string): SQSEvent | DynamoDBStreamEvent => {
  if (!ofQueues.includes(name))
    return {
      Records: [
        {
          eventName: "MODIFY",
          dynamodb: { ApproximateCreationDateTime: Math.floor(Date.now() / 1000) - ago, Keys: {} },
        },
      ],
    };
  const attributes = { SentTimestamp: String(Date.now() - ago * 1000), ApproximateReceiveCount: "1" };
  return { Records: [{ messageId: "m", receiptHandle: "r", body: "nothing", attributes }] } as unknown as SQSEvent;
};

test("these are all the workers that have batches", () => {
  const mappings = Object.values(synthesize().template.findResources("AWS::Lambda::EventSourceMapping"));

  expect(workers).toHaveLength(mappings.length);
  expect(mappings.filter(({ Properties }) => Properties.StartingPosition === undefined)).toHaveLength(ofQueues.length);
});

test.each(workers)("%s publishes its lag before it fails on a bad batch or counts its bad item", async (name) => {
  const handler = await load(name);
  const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

  const { lines, result } = await publishedLines(() => handler(poison(name), context));
  const outcome = await result.then(JSON.stringify, (error: unknown) => `It threw ${String(error)}`);

  const isCounted = lines.some(({ FailedItems: count }) => count === 1);
  expect(isCounted ? "It counted the item" : outcome).toMatch(
    /It counted|It threw|itemIdentifier|"batchItemFailures":\[\{/u,
  );
  expect(lines[0]).toMatchObject({ event: "batch_begun", worker: name, Stage: "blue" });
  expect(lines[0]?.["Lag"]).toBeGreaterThanOrEqual(ago);
  expect(lines[0]?.["Lag"]).toBeLessThan(ago + 60);
});
