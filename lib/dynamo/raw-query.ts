import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { buffer } from "node:stream/consumers";
import * as v from "valibot";
import { tryAgain, withRetries } from "./with-retries.ts";
import type { Database } from "./database.ts";
import { isThrottled, Overload } from "./failure.ts";
import { throttledQueryRetryPolicy } from "./retry-policies.ts";

/** An item in DynamoDB's JSON format: bytes are base64, numbers are text. */
export interface RawItem {
  readonly [attribute: string]: { readonly B?: string; readonly N?: string; readonly S?: string };
}

// oxlint-disable-next-line no-control-regex -- ASCII begins with the control characters.
const isAscii = /^[\0-\x7f]*$/u;

/** Returns a text attribute of a raw item, whose bytes were decoded as latin1; undefined when it is absent. */
export const rawText = ({ S: text }: RawItem[string] = {}): string | undefined =>
  text === undefined || isAscii.test(text) ? text : Buffer.from(text, "latin1").toString("utf8");

/** A page of a Query, its items not deserialized. */
export interface RawPage {
  readonly items: readonly RawItem[];
  /** Start key of the next page; undefined after the last. */
  readonly next: QueryCommandInput["ExclusiveStartKey"];
  /** Number of items read, before the filter. */
  readonly scanned: number;
}

const queryResponse = v.looseObject({
  Items: v.optional(v.array(v.custom<RawItem>((item) => typeof item === "object" && item !== null)), []),
});
const httpResponse = v.looseObject({
  statusCode: v.number(),
  body: v.custom<AsyncIterable<Uint8Array>>((body) => typeof body === "object" && body !== null),
});

const readOnce = async ({ client }: Pick<Database, "client">, input: QueryCommandInput): Promise<RawPage> => {
  let items: readonly RawItem[] = [];
  const command = new QueryCommand(input);
  // This middleware runs between the network and the SDK's deserializer, which receives the response without its items.
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = v.parse(httpResponse, result.response);
      if (response.statusCode !== 200) return result;
      // Keys, bytes and numbers are ASCII, and latin1 decodes faster than UTF-8.
      const { Items, ...responseFields } = v.parse(
        queryResponse,
        JSON.parse((await buffer(response.body)).toString("latin1")),
      );
      items = Items;
      return { ...result, response: { ...response, body: Buffer.from(JSON.stringify(responseFields)) } };
    },
    // The document client concatenates this stack with itself: without `override` the name would be a duplicate.
    { step: "deserialize", priority: "low", name: "keepItemsRaw", override: true },
  );
  const { LastEvaluatedKey, ScannedCount = 0 } = await client.send(command);
  return { items, next: LastEvaluatedKey, scanned: ScannedCount };
};

const throwThrottled = (): never => {
  throw new Overload("A page of a query was throttled at every attempt.");
};

/**
 * Reads one page of a Query without the SDK's deserialization, which takes three quarters of the CPU time of reading
 * 100,000 rows.
 *
 * @throws Overload when the partition is throttled at every attempt of `throttledQueryRetryPolicy`.
 */
export const rawQuery = (database: Pick<Database, "client">, input: QueryCommandInput): Promise<RawPage> =>
  withRetries<RawPage>(throttledQueryRetryPolicy, throwThrottled, async () => {
    try {
      return await readOnce(database, input);
    } catch (error) {
      if (isThrottled(error)) return tryAgain;
      throw error;
    }
  });
