import * as v from "valibot";
import { tableNames } from "../../lib/dynamo/table.ts";
import { objectFault, booleanSetting, wholeNumber } from "./values.ts";

const byTable = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.strictObject(
    Object.fromEntries(tableNames.map((name) => [name, v.exactOptional(schema)])),
    objectFault("must be an object by table", "is not a table", tableNames),
  );

/** Setting type: point-in-time recovery by table. */
export const recoverySetting = byTable(booleanSetting);

/** Setting type: storage class by table. `STANDARD_INFREQUENT_ACCESS` costs 40 % of `STANDARD` for storage and 125 % for requests. */
export const tableClassSetting = byTable(
  v.picklist(["STANDARD", "STANDARD_INFREQUENT_ACCESS"], "must be STANDARD or STANDARD_INFREQUENT_ACCESS"),
);

/** Setting type: reads and writes a second for which a table and its full indexes are prepared; the least are those of every on-demand table. */
export const warmThroughputSetting = byTable(
  v.strictObject(
    { readUnitsPerSecond: wholeNumber(12_000, 10_000_000), writeUnitsPerSecond: wholeNumber(4000, 10_000_000) },
    objectFault("must be an object", "is not a setting", ["readUnitsPerSecond", "writeUnitsPerSecond"]),
  ),
);
