import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { numberOfDay, rowKeyLengths, yearKey, yearOf } from "../../../lib/store/traces/keys.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { seeded } from "../../support/random.ts";

/** Shape of the generated rows: typical, or with the longest allowed ids or tags. */
export type RowShape = "usual" | "longIds" | "tagged";

const secondsOfDay = 86_400;
const yearOne = 62_135_596_800;
const firstDay = Date.UTC(2026, 9, 1) / 1000;

/** Maximum bytes of a DynamoDB page. */
const pageBytes = 1024 * 1024;
const digits = 9;

const marker = "#".repeat(digits);

const shapes: Readonly<Record<RowShape, Partial<TraceRow>>> = {
  usual: { sessionId: `chat-session-of-somebody-${marker}`, userId: `user-${marker}` },
  // 255 non-ASCII characters, which take two bytes each in memory.
  longIds: { sessionId: `${"ж".repeat(246)}${marker}`, userId: `${"ж".repeat(246)}${marker}` },
  tagged: {
    sessionId: `chat-${marker}`,
    userId: null,
    tags: Array.from({ length: 20 }, (_, tag) => `${marker}-${tag}-${"t".repeat(20)}`),
  },
};

/** Positions of a marker in packed rows. */
const markersIn = (packed: Buffer): readonly number[] => {
  const matchingRows: number[] = [];
  for (let at = packed.indexOf(marker); at >= 0; at = packed.indexOf(marker, at + digits)) matchingRows.push(at);
  return matchingRows;
};

/** Parameters of a query on a part of a day. */
interface Request {
  readonly TableName: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, { readonly B: string; readonly S?: string }>>;
  readonly ExclusiveStartKey?: { readonly sk: { readonly B: string } };
  readonly Limit?: number;
  readonly ConsistentRead?: boolean;
}

/** Distribution of the rows, and admission of requests. */
interface RowSourceOptions {
  readonly days?: number;
  readonly retryStrategy?: DynamoDBClientConfig["retryStrategy"];
  /** Called with the read units before each page; false refuses the request like an exhausted partition. */
  readonly admit?: (units: number) => Promise<boolean>;
}

/** DynamoDB's reply for a partition without capacity. */
const throttledAnswer = {
  __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
  message: "The level of configured provisioned throughput for the table was exceeded.",
};

/**
 * A database that generates the rows of one project on request, each with its own session, over thirty days or the
 * given number. The service reads them through its real client, in pages of a megabyte.
 */
export const rowSource = (
  rows: number,
  shape: RowShape,
  { days = 30, retryStrategy, admit = () => Promise.resolve(true) }: RowSourceOptions = {},
): Database => {
  const perDay = Math.ceil(rows / days);
  const template = packRow({ ...generateRow(seeded(1), firstDay * 1000), ...shapes[shape] });
  const places = markersIn(template);
  const itemBytes = template.length + 60;
  const perPage = Math.max(1, Math.floor(pageBytes / itemBytes));
  const step = secondsOfDay / perDay;

  const numberAt = (sort: Buffer, day: number): number => {
    const seconds = sort.readUIntBE(0, 5) - yearOne - firstDay - day * secondsOfDay;
    const micros = sort.readUIntBE(5, 3);
    return Math.min(perDay, Math.max(0, Math.ceil((seconds + micros / 1e6) / step - 1e-7)));
  };

  const rowAt = (day: number, number: number) => {
    const [sk, d] = [Buffer.alloc(24), Buffer.from(template)];
    const at = number * step;
    sk.writeUIntBE(Math.floor(at) + yearOne + firstDay + day * secondsOfDay, 0, 5);
    sk.writeUIntBE(Math.floor((at % 1) * 1e6), 5, 3);
    sk.writeUIntBE(day * perDay + number, 18, 6);
    const text = String(day * perDay + number).padStart(digits, "0");
    for (const place of places) d.write(text, place, "latin1");
    return { sk: { B: sk.toString("base64") }, d: { B: d.toString("base64") } };
  };

  const listedDays = Array.from({ length: days }, (_, day) =>
    new Date((firstDay + day * secondsOfDay) * 1000).toISOString().slice(0, 10),
  );
  const yearItems = [...Map.groupBy(listedDays, yearOf)]
    .toSorted(([a], [b]) => b - a)
    .map(([year, daysOfYear]) => ({
      sk: { B: yearKey(randomUUID(), year).sk.toString("base64") },
      n: { NS: daysOfYear.map((day) => String(numberOfDay(day))) },
    }));
  const counter = { sk: { S: "total#shard" }, n: { N: String(rows) } };

  const query = ({ TableName, ExpressionAttributeValues: values, ExclusiveStartKey: after, Limit: limit }: Request) => {
    // The trace counter exists, but no hour has been computed.
    if (TableName === "aggregates") return { Items: values[":pk"]?.S?.endsWith("#traces") === true ? [counter] : [] };
    const pk = Buffer.from(values[":pk"]?.B ?? "", "base64");
    if (pk.length < rowKeyLengths.pk) return { Items: yearItems };
    const day = pk.readUIntBE(16, 3) - yearOne / secondsOfDay - firstDay / secondsOfDay;
    const bound = (name: string, otherwise: number): number =>
      values[name] === undefined ? otherwise : numberAt(Buffer.from(values[name].B, "base64"), day);
    const first =
      after === undefined ? bound(":from", 0) : Buffer.from(after.sk.B, "base64").readUIntBE(18, 6) - day * perDay + 1;
    const end = bound(":to", perDay);
    const last = Math.min(end, first + Math.min(perPage, limit ?? perPage));
    const Items = Array.from({ length: Math.max(0, last - first) }, (_, index) => rowAt(day, first + index));
    const lastKey = Items.at(-1)?.sk;
    return {
      Items,
      Count: Items.length,
      ...(last < end &&
        lastKey !== undefined && { LastEvaluatedKey: { pk: { B: pk.toString("base64") }, sk: lastKey } }),
    };
  };

  const client = new DynamoDBClient({
    region: "us-east-1",
    endpoint: "http://rows.invalid",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    ...(retryStrategy === undefined ? { maxAttempts: 1 } : { retryStrategy }),
    requestHandler: {
      handle: async ({ body }: { readonly body: Uint8Array }) => {
        const queryRequest = JSON.parse(Buffer.from(body).toString()) as Request;
        const queryResult = query(queryRequest);
        const bytes = Math.max(1, queryResult.Items.length * itemBytes);
        const CapacityUnits = Math.ceil(bytes / 4096) / (queryRequest.ConsistentRead === true ? 1 : 2);
        const isAdmitted = await admit(CapacityUnits);
        const ConsumedCapacity = { TableName: queryRequest.TableName, CapacityUnits };
        const answer = isAdmitted ? { ...queryResult, ConsumedCapacity } : throttledAnswer;
        return {
          response: {
            statusCode: isAdmitted ? 200 : 400,
            headers: {},
            body: Readable.from([Buffer.from(JSON.stringify(answer))]),
          },
        };
      },
      updateHttpClientConfig: () => undefined,
      httpHandlerConfigs: () => ({}),
    },
  });
  return { client: DynamoDBDocumentClient.from(client), table: (name) => name };
};
