import { invocationBounds } from "../aws/call-bounds.ts";
import { functionInvoker } from "../aws/invoke-function.ts";
import type { Database } from "../dynamo/database.ts";
import { lakeWordIndex } from "../lake/word-index.ts";
import type { WordIndex } from "../store/traces/search/word-index.ts";
import { variables } from "./environment.ts";

/** Returns the index of words whose files the lake's function reads; null on a service without DuckDB. */
export const environmentWordIndex = (database: Database): WordIndex | null => {
  const name = process.env[variables.lakeWriter] ?? "";
  if (name === "") return null;
  const invoke = functionInvoker(invocationBounds);
  return lakeWordIndex(database, (lookup) => invoke(name, { lookup }));
};
