import * as v from "valibot";
import type { Client } from "../client/client.ts";
import { jsonSchemaOf } from "../contract/openapi/schema-of.ts";
import { schemaRegistry } from "../contract/openapi/schema-registry.ts";
import type { JsonSchema } from "../contract/schema/json-schema.ts";
import type { Permission } from "../domain/access/key-scope.ts";
import { markedAsData } from "./data-mark.ts";
import { ToolError } from "./tool-error.ts";

/** The service as a tool uses it: by its public interface, with the credential of the caller. */
export interface Service {
  readonly client: Client;
  /** Base URL of the service, for links. */
  readonly url: string;
  /** Returns the text of a public path. @throws ToolError if there is none. */
  readonly readText: (path: string) => Promise<string>;
}

/** Answer of a tool. */
export interface ToolAnswer {
  /** What the service says of the data. */
  readonly note?: string;
  /** Text from traces, which is marked as data. */
  readonly data?: string;
  /** Cursor of the next part; null at the end. */
  readonly cursor?: string | null;
  /** Address of the same in the console. */
  readonly link?: string;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Permission without which a key does not see the tool; null for none. */
  readonly permission: Permission | null;
  readonly inputSchema: JsonSchema;
  readonly run: (input: unknown, service: Service) => Promise<string>;
}

const textOf = ({ note, data, cursor, link }: ToolAnswer): string =>
  [
    note,
    data === undefined ? undefined : markedAsData(data),
    typeof cursor === "string"
      ? `There is more: call again with the same arguments and cursor "${cursor}".`
      : undefined,
    link === undefined ? undefined : `Console: ${link}`,
  ]
    .filter((part) => part !== undefined)
    .join("\n\n");

/** Completes a tool: the schema of its input in JSON, and the check of each input by it. */
export const tool = <const Input extends v.GenericSchema>(
  definition: Pick<Tool, "name" | "description" | "permission"> & { readonly input: Input },
  run: (input: v.InferOutput<Input>, service: Service) => Promise<ToolAnswer>,
): Tool => {
  const { input, ...head } = definition;
  return {
    ...head,
    inputSchema: jsonSchemaOf(input, "input", schemaRegistry(), head.name),
    run: async (value, service) => {
      const parsed = v.safeParse(input, value);
      if (!parsed.success) throw new ToolError(`The arguments are not valid.\n${v.summarize(parsed.issues)}`);
      return textOf(await run(parsed.output, service));
    },
  };
};
