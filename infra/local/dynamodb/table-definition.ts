import type {
  AttributeDefinition,
  CreateTableCommandInput,
  GlobalSecondaryIndex,
  KeySchemaElement,
  LocalSecondaryIndex,
  StreamViewType,
} from "@aws-sdk/client-dynamodb";

/** Resolved properties of `AWS::DynamoDB::Table` and `GlobalTable` that the local database uses. */
interface TableProperties {
  readonly AttributeDefinitions: AttributeDefinition[];
  readonly KeySchema: KeySchemaElement[];
  readonly GlobalSecondaryIndexes?: readonly GlobalSecondaryIndex[];
  readonly LocalSecondaryIndexes?: LocalSecondaryIndex[];
  readonly StreamSpecification?: { readonly StreamViewType: StreamViewType };
  readonly TimeToLiveSpecification?: { readonly AttributeName?: string; readonly Enabled: boolean | string };
}

/** A table to create, and the name of the attribute with its items' expiry time in epoch seconds. */
export interface LocalTable {
  readonly id: string;
  readonly create: CreateTableCommandInput & { readonly TableName: string };
  readonly expiryAttribute: string | undefined;
}

/**
 * Converts a table of the template into the input of `CreateTable`.
 *
 * Not supported: capacity (all on demand), encryption, backups, replicas, resource policies, deletion protection.
 */
export const localTable = (
  id: string,
  name: string,
  templateProperties: Readonly<Record<string, unknown>>,
): LocalTable => {
  const properties = templateProperties as unknown as TableProperties;
  const { GlobalSecondaryIndexes: indexes, LocalSecondaryIndexes: locals, StreamSpecification: stream } = properties;
  const expiry = properties.TimeToLiveSpecification;
  return {
    id,
    create: {
      TableName: name,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: properties.AttributeDefinitions,
      KeySchema: properties.KeySchema,
      ...(indexes && {
        GlobalSecondaryIndexes: indexes.map(({ IndexName, KeySchema, Projection }) => ({
          IndexName,
          KeySchema,
          Projection,
        })),
      }),
      ...(locals && { LocalSecondaryIndexes: locals }),
      ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType } }),
    },
    expiryAttribute: String(expiry?.Enabled) === "true" ? expiry?.AttributeName : undefined,
  };
};
