import type { TableName } from "../lib/dynamo/table.ts";

/** Name and ARNs of a table that the stack created or that was restored. */
export interface TableReference {
  readonly tableName: string;
  readonly tableArn: string;
  readonly tableStreamArn?: string | undefined;
}

/** Name of the stack output that holds a table's name. */
export const tableOutput = (table: TableName): string => `${table[0]?.toUpperCase()}${table.slice(1)}TableName`;
