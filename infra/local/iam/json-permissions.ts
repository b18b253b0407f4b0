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

type Key = Readonly<Record<string, { readonly S?: string; readonly B?: string } | undefined>>;

/** Value of a partition key as IAM compares it; binary keys in base64. */
const partitionOf = (key: Key | undefined): string | undefined => key?.["pk"]?.S ?? key?.["pk"]?.B;

interface ItemRequest extends TableReference {
  readonly Key?: Key;
  readonly Item?: Key;
}

/** The permission for items of a table, with the partition keys of all of them as the condition key `dynamodb:LeadingKeys`. */
const itemPermission = (action: string, table: unknown, keys: readonly (Key | undefined)[]): RequiredPermission => ({
  action: `dynamodb:${action}`,
  resource: tableArn(table),
  context: { "dynamodb:LeadingKeys": keys.flatMap((key) => partitionOf(key) ?? []) },
});

/**
 * Permissions of a transaction. AWS does not say whether it checks the items one by one: the keys of all items with one action
 * have to satisfy the condition of one statement here, the stricter of the two.
 */
const transactionPermissions = (items: readonly Readonly<Record<string, ItemRequest>>[]): RequiredPermission[] => {
  const requests = items.flatMap((item) =>
    Object.entries(transactionActions).flatMap(([member, action]) => {
      const request = item[member];
      return request === undefined ? [] : [{ action, table: request.TableName, key: request.Item ?? request.Key }];
    }),
  );
  return [...Map.groupBy(requests, ({ action, table }) => `${action} ${table}`).values()].flatMap((group) =>
    group.slice(0, 1).map(({ action, table }) =>
      itemPermission(
        action,
        table,
        group.map(({ key }) => key),
      ),
    ),
  );
};

type BatchedRequest = Key & { readonly PutRequest?: ItemRequest; readonly DeleteRequest?: ItemRequest };

/** Keys of a table's part of a batch: of reads, or of writes. */
const batchedKeys = (
  requests: { readonly Keys?: readonly Key[] } | readonly BatchedRequest[],
): readonly (Key | undefined)[] =>
  "Keys" in requests
    ? (requests.Keys ?? [])
    : (requests as readonly BatchedRequest[]).map(
        ({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key,
      );

/** The partition key of a query of a table; none for another form of its condition. */
const queriedKey = ({ KeyConditionExpression, ExpressionAttributeValues }: Body): Key => {
  const name = /^pk = (:\w+)/u.exec(asText(KeyConditionExpression ?? ""))?.[1] ?? "";
  return { pk: (ExpressionAttributeValues as Key | undefined)?.[name] };
};

/** The permission for a scan, with the names of the attributes that it reads; a filter has to name attributes of the projection. */
const scanPermission = (table: unknown, body: Body): RequiredPermission => {
  const {
    ProjectionExpression,
    Select,
    ExpressionAttributeNames = {},
  } = body as Readonly<Record<"ProjectionExpression" | "Select", string | undefined>> & {
    readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  };
  const names = ProjectionExpression?.split(",").map((name) => name.trim()) ?? [];
  return {
    action: "dynamodb:Scan",
    resource: tableArn(table),
    context: {
      "dynamodb:Attributes": names.map((name) => ExpressionAttributeNames[name] ?? name),
      "dynamodb:Select": Select === undefined ? [] : [Select],
    },
  };
};

/** Not supported: leading keys of indexes and of PartiQL, on which no condition ever holds. */
const dynamoDbPermissions = (call: string, body: Body): RequiredPermission[] => {
  if (body["TransactItems"] !== undefined)
    return transactionPermissions(body["TransactItems"] as Parameters<typeof transactionPermissions>[0]);
  if (body["RequestItems"] !== undefined) {
    return Object.entries(body["RequestItems"] as Readonly<Record<string, Parameters<typeof batchedKeys>[0]>>).map(
      ([table, requests]) => itemPermission(call, table, batchedKeys(requests)),
    );
  }
  const [table, index] = [body["TableName"], body["IndexName"]];
  if (index !== undefined)
    return [{ action: `dynamodb:${call}`, resource: `${tableArn(table)}/index/${asText(index)}` }];
  if (call === "Scan") return [scanPermission(table, body)];
  const { Item, Key } = body as ItemRequest;
  return [itemPermission(call, table, [call === "Query" ? queriedKey(body) : (Item ?? Key)])];
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
