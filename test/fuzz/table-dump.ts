import { DynamoDBClient, type AttributeValue } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import { localClient } from "../../infra/local/host/aws-client.ts";
import { tableNames, tableVariable } from "../../lib/store/table.ts";
import type { RunningService } from "../support/service/service.ts";

/** Items as text, by table and key, in order. */
export type Dump = readonly string[];

/** A value with its keys in order and bytes in hex, so that equal ones are equal as JSON. */
export const sorted = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (value instanceof Set) return [...value].map(sorted).sort();
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Readonly<Record<string, AttributeValue>>)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
};

/** Reads what the tables of a running service hold. */
export const tableReader = (service: RunningService) => {
  const { environments, endpoints } = service.stack;
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient(endpoints.DYNAMODB)));
  // Sums are derived from the rest, and follow it in their own time.
  const names = tableNames
    .filter((table) => table !== "aggregates")
    .map((table) => {
      const name = environments.map((environment) => environment[tableVariable(table)]).find(Boolean);
      if (name === undefined) throw new Error(`No function uses the table ${table}.`);
      return [table, name] as const;
    });

  /** Items in which the project is named, as text or in bytes. */
  const ofProject = async (projectId: string): Promise<Dump> => {
    const bytes = projectId.replaceAll("-", "");
    const found: string[] = [];
    for (const [table, TableName] of names) {
      for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
        const texts = Items.map((item) => `${table} ${JSON.stringify(sorted(item))}`);
        found.push(...texts.filter((text) => text.includes(projectId) || text.includes(bytes)));
      }
    }
    return found.sort();
  };

  /** The same, once all that goes on in the background has come to rest. */
  const ofProjectAtRest = async (projectId: string): Promise<Dump> => {
    let last = await ofProject(projectId);
    for (let quiet = 0; quiet < 3;) {
      await wait(500);
      const next = await ofProject(projectId);
      quiet = next.join("\n") === last.join("\n") ? quiet + 1 : 0;
      last = next;
    }
    return last;
  };

  return { ofProjectAtRest, close: () => client.destroy() };
};
