import type { AttributeValue, DynamoDBRecord } from "aws-lambda";

/** An item's texts and numbers as a record of a stream has them: what is counted is told by no others. */
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

/** What a stream tells of items that came. @param first how many came before. */
export const recordsOfItems = (
  items: readonly Readonly<Record<string, unknown>>[],
  first = 0,
): readonly DynamoDBRecord[] =>
  items.map((item, index) => ({
    dynamodb: { NewImage: imageOf(item), SequenceNumber: String(first + index + 1) },
  }));
