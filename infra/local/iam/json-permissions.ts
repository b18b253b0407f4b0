import { asText } from "../host/as-text.ts";
import { arn } from "../template/arn.ts";
import type { RequiredPermission } from "./decision.ts";

type Body = Readonly<Record<string, unknown>>;

interface TableReference {
  readonly TableName?: string;
}

const tableArn = (table: unknown): string => arn("dynamodb", `table/${String(table)}`);

/** IAM actions of the members of a transaction: a transaction needs the permission of each of its items. */
const transactionActions = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  Get: "GetItem",
} as const;

const transactionPermissions = (items: unknown): RequiredPermission[] =>
  (items as readonly Readonly<Record<string, TableReference>>[]).flatMap((item) =>
    Object.entries(transactionActions).flatMap(([member, action]) =>
      item[member] === undefined ? [] : [{ action: `dynamodb:${action}`, resource: tableArn(item[member].TableName) }],
    ),
  );

const dynamoDbPermissions = (call: string, body: Body): RequiredPermission[] => {
  const action = `dynamodb:${call}`;
  if (body["TransactItems"] !== undefined) return transactionPermissions(body["TransactItems"]);
  if (body["RequestItems"] !== undefined) {
    return Object.keys(body["RequestItems"] as object).map((table) => ({ action, resource: tableArn(table) }));
  }
  const [table, index] = [tableArn(body["TableName"]), body["IndexName"]];
  const { pk } = (body["Item"] ?? {}) as { readonly pk?: { readonly S?: string } };
  if (pk?.S !== undefined) return [{ action, resource: table, context: { "dynamodb:LeadingKeys": [pk.S] } }];
  return [{ action, resource: index === undefined ? table : `${table}/index/${asText(index)}` }];
};

/** Permissions of an SQS call; a batch operation needs the permission of its single operation. */
const sqsPermissions = (call: string, body: Body): RequiredPermission[] => [
  {
    action: `sqs:${call.replace(/Batch$/, "")}`,
    resource: arn("sqs", String(body["QueueUrl"]).split("/").at(-1) ?? ""),
  },
];

const ssmPermissions = (call: string, body: Body): RequiredPermission[] =>
  [body["Name"] ?? body["Names"]].flat().map((name) => ({
    action: `ssm:${call}`,
    resource: arn("ssm", `parameter${String(name)}`),
  }));

/** Permissions of a PutEvents call: one per bus, with the sources of all its events as the condition key `events:source`. */
const eventBridgePermissions = (call: string, body: Body): RequiredPermission[] => {
  const entries = body["Entries"] as readonly { readonly Source?: string; readonly EventBusName?: string }[];
  const buses = Map.groupBy(entries, ({ EventBusName = "default" }) => EventBusName);
  return [...buses].map(([bus, events]) => ({
    action: `events:${call}`,
    resource: arn("events", `event-bus/${bus}`),
    context: { "events:source": events.flatMap(({ Source }) => Source ?? []) },
  }));
};

const byService: Readonly<Record<string, (call: string, body: Body) => RequiredPermission[]>> = {
  DynamoDB_20120810: dynamoDbPermissions,
  AmazonSQS: sqsPermissions,
  AmazonSSM: ssmPermissions,
  AWSEvents: eventBridgePermissions,
};

/**
 * Returns the permissions that a call of an AWS JSON protocol requires.
 *
 * @param target value of the header `X-Amz-Target`
 * @throws Error for an unsupported service, so that no call goes unchecked
 */
export const jsonCallPermissions = (target: string, body: Body): readonly RequiredPermission[] => {
  const [service = "", call = ""] = target.split(".");
  const permissions = byService[service];
  if (permissions === undefined) throw new Error(`The permissions of ${target} are not known.`);
  return permissions(call, body);
};
