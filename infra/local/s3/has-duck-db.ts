import { globSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository.ts";

/** True if DuckDB is installed, an optional package, with the native library of this machine. */
export const hasDuckDb = (): boolean =>
  globSync(join(repository, "node_modules/@duckdb/node-bindings-*/*.node")).length > 0;
