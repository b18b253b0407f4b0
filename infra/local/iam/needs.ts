import { asText } from "../host/as-text.ts";
import { arn } from "../template/arn.ts";
import type { Need } from "./decision.ts";

type Body = Readonly<Record<string, unknown>>;

interface Keyed {
  readonly TableName?: string;
}

const tableArn = (table: unknown): string => arn("dynamodb", `table/${String(table)}`);

/** A transaction needs what its actions need, each on its own table. */
const transactionActions = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  Get: "GetItem",
} as const;

const transactionNeeds = (items: unknown): Need[] =>
  (items as readonly Readonly<Record<string, Keyed>>[]).flatMap((item) =>
    Object.entries(transactionActions).flatMap(([member, action]) =>
      item[member] === undefined ? [] : [{ action: `dynamodb:${action}`, resource: tableArn(item[member].TableName) }],
    ),
  );

const dynamoDbNeeds = (call: string, body: Body): Need[] => {
  const action = `dynamodb:${call}`;
  if (body["TransactItems"] !== undefined) return transactionNeeds(body["TransactItems"]);
  if (body["RequestItems"] !== undefined) {
    return Object.keys(body["RequestItems"] as object).map((table) => ({ action, resource: tableArn(table) }));
  }
  const [table, index] = [tableArn(body["TableName"]), body["IndexName"]];
  const { pk } = (body["Item"] ?? {}) as { readonly pk?: { readonly S?: string } };
  if (pk?.S !== undefined) return [{ action, resource: table, context: { "dynamodb:LeadingKeys": [pk.S] } }];
  return [{ action, resource: index === undefined ? table : `${table}/index/${asText(index)}` }];
};

/** A batch needs what its single form needs. */
const sqsNeeds = (call: string, body: Body): Need[] => [
  {
    action: `sqs:${call.replace(/Batch$/, "")}`,
    resource: arn("sqs", String(body["QueueUrl"]).split("/").at(-1) ?? ""),
  },
];

const ssmNeeds = (call: string, body: Body): Need[] =>
  [body["Name"] ?? body["Names"]].flat().map((name) => ({
    action: `ssm:${call}`,
    resource: arn("ssm", `parameter${String(name)}`),
  }));

/** One need for each bus; its condition is about the sources of all events that go there. */
const eventBridgeNeeds = (call: string, body: Body): Need[] => {
  const entries = body["Entries"] as readonly { readonly Source?: string; readonly EventBusName?: string }[];
  const buses = Map.groupBy(entries, ({ EventBusName = "default" }) => EventBusName);
  return [...buses].map(([bus, events]) => ({
    action: `events:${call}`,
    resource: arn("events", `event-bus/${bus}`),
    context: { "events:source": events.flatMap(({ Source }) => Source ?? []) },
  }));
};

const byService: Readonly<Record<string, (call: string, body: Body) => Need[]>> = {
  DynamoDB_20120810: dynamoDbNeeds,
  AmazonSQS: sqsNeeds,
  AmazonSSM: ssmNeeds,
  AWSEvents: eventBridgeNeeds,
};

/**
 * What a call of one of AWS's JSON protocols needs, from its `X-Amz-Target` and body.
 *
 * @throws Error for a service this does not know: an unchecked call would pass for an allowed one.
 */
export const needsOf = (target: string, body: Body): readonly Need[] => {
  const [service = "", call = ""] = target.split(".");
  const needs = byService[service];
  if (needs === undefined) throw new Error(`It is not known what ${target} needs to be allowed.`);
  return needs(call, body);
};
