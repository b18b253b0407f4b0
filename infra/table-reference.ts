/** A table as the stack names it in grants, variables and mappings, whoever made it. */
export interface TableReference {
  readonly tableName: string;
  readonly tableArn: string;
  readonly tableStreamArn?: string | undefined;
}
