import * as v from "valibot";
import { tableNames, tables, type TableDefinition, type TableName } from "../../lib/dynamo/table.ts";
import type { TableReference } from "../table-reference.ts";

/** Restored tables by name, which replace tables of the stack. */
export type RestoredTables = Readonly<Partial<Record<TableName, TableReference | undefined>>>;

/** ARN from `aws dynamodb describe-table`: `LatestStreamArn`, or `TableArn` if the table has no stream. */
const form = /^(arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/([A-Za-z0-9_.-]{3,255}))(\/stream\/[0-9T:.-]+)?$/u;

const tableArn = v.pipe(
  v.string("must be the ARN of a table or of its stream"),
  v.regex(form, "must be the ARN of a table or of its stream"),
);

const streamArn = v.pipe(
  tableArn,
  // An ARN without the right form has one fault, not two.
  v.check(
    (arn) => !form.test(arn) || arn.includes("/stream/"),
    "must be the ARN of the table's stream, which workers read: enable the stream first",
  ),
);

const referenceOf = (arn: string): TableReference => {
  const [, tableArn = "", tableName = "", stream] = form.exec(arn) ?? [];
  return { tableName, tableArn, tableStreamArn: stream === undefined ? undefined : arn };
};

const reference = (name: TableName) => {
  const { stream }: TableDefinition = tables[name];
  return v.exactOptional(v.pipe(stream ? streamArn : tableArn, v.transform(referenceOf)));
};

const areDistinct = (restored: RestoredTables): boolean => {
  const arns = Object.values(restored).map((reference) => reference?.tableArn);
  return new Set(arns).size === arns.length;
};

const tablesOfStage = v.pipe(
  v.strictObject(Object.fromEntries(tableNames.map((name) => [name, reference(name)])), (issue) =>
    issue.expected === "never" ? "is not a table" : "must be an object, ARNs by table",
  ),
  v.check(areDistinct, "must not name a table twice"),
);

/**
 * Setting type: ARNs of restored tables by stage and table. The stage is a key, so that the setting can stay in `cdk.json` and
 * no stage uses the data of another.
 */
export const restoredTablesSetting = v.record(v.string(), tablesOfStage, "must be an object, tables by stage");
