import type { AttributeValue, DynamoDBRecord } from "aws-lambda";

/** An item's text and number attributes as in a stream record; counters depend on no other attributes. */
const imageOf = (item: Readonly<Record<string, unknown>>): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]): [string, AttributeValue][] =>
      typeof value === "string"
        ? [[name, { S: value }]]
        : typeof value === "number"
          ? [[name, { N: String(value) }]]
          : [],
    ),
  );

/** Stream records of newly inserted items. @param first number of records before them. */
export const recordsOfItems = (
  items: readonly Readonly<Record<string, unknown>>[],
  first = 0,
): readonly DynamoDBRecord[] =>
  items.map((item, index) => ({
    dynamodb: { NewImage: imageOf(item), SequenceNumber: String(first + index + 1) },
  }));
