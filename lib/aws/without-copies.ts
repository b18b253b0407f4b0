import { getSchemaSerdePlugin } from "@smithy/core/schema";

/** Part of an AWS SDK client that has its configuration and its middleware. */
export interface SdkClient {
  readonly config: Parameters<typeof getSchemaSerdePlugin>[0];
  readonly middlewareStack: {
    readonly use: (plugin: ReturnType<typeof getSchemaSerdePlugin>) => void;
    readonly remove: (name: string) => boolean;
  };
}

/**
 * Leaves out what an AWS SDK client copies in each call without effect, 15 % of the CPU time of a call: its middleware for a logger
 * copies every input and output, without a logger too; and its configuration has an accessor for the credentials, which makes V8 keep
 * all properties in a hash table, while three copies of it are made. The configuration is replaced by one with plain properties.
 */
export const withoutCopies = <Client extends SdkClient>(client: Client): Client => {
  const config = { ...client.config };
  client.middlewareStack.remove("loggerMiddleware");
  client.middlewareStack.use(getSchemaSerdePlugin(config));
  return Object.assign(client, { config });
};
