import type { Call, FaultKind } from "./fault-kind.ts";

/** Throughput limits of one partition key. */
export interface PartitionLimits {
  /** Write and read units per second. */
  readonly write: number;
  readonly read: number;
  /** Seconds of unused capacity that are saved for bursts. */
  readonly burst: number;
}

/** DynamoDB's limits. */
export const dynamoDbLimits: PartitionLimits = { write: 1_000, read: 3_000, burst: 300 };

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? { ...value } : {});

/** Approximate size of a value in bytes by DynamoDB's rules. */
const bytesOf = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + bytesOf(each), 0);
};

/** A partition key as text, in document or wire format. */
const keyText = (key: unknown): string => {
  if (key instanceof Uint8Array) return Buffer.from(key).toString("base64");
  if (typeof key === "string") return key;
  const { S, B } = fieldsOf(key);
  return S === undefined && B === undefined ? "" : keyText(S ?? B);
};

/** Units that one action consumes in one partition. */
interface Share {
  readonly partition: string;
  readonly side: "write" | "read";
  readonly units: number;
}

const itemText = (table: unknown, key: Fields): string =>
  `${String(table)} ${keyText(key["pk"])} ${keyText(key["sk"])}`;

/** Sizes in bytes of stored items, by key. */
type Sizes = Map<string, number>;

const shareOf = (
  table: unknown,
  { Item, Key }: Fields,
  side: Share["side"],
  { sizes, factor }: { readonly sizes: Sizes; readonly factor: number },
): Share => {
  const key = fieldsOf(Item ?? Key);
  const name = itemText(table, key);
  // An item stored by another connection has an unknown size and costs one unit.
  const bytes = Math.max(1, Item === undefined ? (sizes.get(name) ?? 1) : bytesOf(Item));
  if (Item !== undefined) sizes.set(name, bytes);
  return {
    partition: `${String(table)} ${keyText(key["pk"])}`,
    side,
    units: factor * Math.ceil(bytes / (side === "write" ? 1024 : 4096)),
  };
};

const singles: Readonly<Record<string, Share["side"]>> = {
  PutItem: "write",
  UpdateItem: "write",
  DeleteItem: "write",
  GetItem: "read",
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Units that a request consumes by partition. Queries are not included, as only their reply has their cost. */
const sharesOf = ({ operation, input }: Call, sizes: Sizes): readonly Share[] => {
  const once = { sizes, factor: 1 };
  const side = singles[operation];
  if (side !== undefined) return [shareOf(input["TableName"], input, side, once)];
  if (operation === "TransactWriteItems")
    return listOf(input["TransactItems"]).flatMap((item) =>
      // Twice: a transaction prepares and commits each write.
      Object.values(fieldsOf(item)).map((action) =>
        shareOf(fieldsOf(action)["TableName"], fieldsOf(action), "write", { sizes, factor: 2 }),
      ),
    );
  const tables = Object.entries(fieldsOf(input["RequestItems"]));
  if (operation === "BatchWriteItem")
    return tables.flatMap(([table, writes]) =>
      listOf(writes).flatMap((write) =>
        Object.values(fieldsOf(write)).map((action) => shareOf(table, fieldsOf(action), "write", once)),
      ),
    );
  if (operation === "BatchGetItem")
    return tables.flatMap(([table, tableRequest]) =>
      listOf(fieldsOf(tableRequest)["Keys"]).map((Key) => shareOf(table, { Key }, "read", once)),
    );
  return [];
};

/**
 * Creates a fault decision that throttles exhausted partitions: whole requests, or single items of a transaction. An
 * admitted request may exceed the remaining capacity; later requests wait for it.
 * @param now epoch milliseconds.
 */
export const partitions = (now: () => number, limits: PartitionLimits = dynamoDbLimits) => {
  const buckets = new Map<string, { units: number; at: number }>();
  const sizes: Sizes = new Map();

  const bucketOf = ({ partition, side }: Share) => {
    const capacity = limits[side] * limits.burst;
    const name = `${side} ${partition}`;
    const bucket = buckets.get(name) ?? { units: capacity, at: now() };
    const grown = (Math.max(0, now() - bucket.at) / 1000) * limits[side];
    Object.assign(bucket, { units: Math.min(capacity, bucket.units + grown), at: Math.max(bucket.at, now()) });
    buckets.set(name, bucket);
    return bucket;
  };

  return (call: Call): FaultKind | null => {
    const shares = sharesOf(call, sizes).map((share) => ({ units: share.units, bucket: bucketOf(share) }));
    if (shares.some(({ bucket }) => bucket.units <= 0))
      return call.operation === "TransactWriteItems" ? "throttled-item" : "throttle";
    for (const { units, bucket } of shares) bucket.units -= units;
    return null;
  };
};
