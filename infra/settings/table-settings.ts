import * as v from "valibot";
import { tableNames } from "../../lib/store/table.ts";
import { unknownOr, yesOrNo } from "./values.ts";

const byTable = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.strictObject(
    Object.fromEntries(tableNames.map((name) => [name, v.exactOptional(schema)])),
    unknownOr("must be an object by table", "is not a table", tableNames),
  );

/** Tables that can, or cannot, be restored to a point in time. */
export const recoverySetting = byTable(yesOrNo);

/** How tables are stored: the second costs two fifths in storage and five quarters in requests. */
export const tableClassSetting = byTable(
  v.picklist(["STANDARD", "STANDARD_INFREQUENT_ACCESS"], "must be STANDARD or STANDARD_INFREQUENT_ACCESS"),
);
