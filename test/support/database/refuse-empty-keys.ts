import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** DynamoDB's error message for a key compared with an empty text, which emulators accept. */
export const emptyKeyMessage =
  "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value.";

/** Makes a client refuse queries that compare a key with an empty text, as DynamoDB does. */
export const refuseEmptyKeys = ({ middlewareStack }: DynamoDBDocumentClient): void => {
  middlewareStack.add(
    (next) => (args) => {
      if (!("KeyConditionExpression" in args.input)) return next(args);
      const { KeyConditionExpression: condition = "", ExpressionAttributeValues: values = {} } = args.input;
      const compared = condition.match(/:\w+/gu) ?? [];
      if (compared.some((name) => values[name] === ""))
        throw Object.assign(new Error(emptyKeyMessage), { name: "ValidationException" });
      return next(args);
    },
    { step: "initialize", name: "refuseEmptyKeys" },
  );
};
