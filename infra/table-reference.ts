/** Name and ARNs of a table that the stack created or that was restored. */
export interface TableReference {
  readonly tableName: string;
  readonly tableArn: string;
  readonly tableStreamArn?: string | undefined;
}
