import { createRequire } from "node:module";
import type * as DuckDb from "@duckdb/node-api";
import type { Sql } from "./sql.ts";

/** Limits and folders of an engine. */
export interface EngineSettings {
  /** Folder from which the package `@duckdb/node-api` is resolved, with a slash at its end. */
  readonly packagePath: string;
  /** Folder for what exceeds the memory limit. */
  readonly directory: string;
  readonly memoryMegabytes: number;
  readonly threads: number;
}

/** DuckDB, with a database in memory. */
export interface LakeEngine {
  /** Runs a statement. @returns its rows, with lists as arrays and 64-bit integers as bigints. */
  rows(sql: Sql): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): void;
}

/** Settings of a session: nothing is downloaded, and a crash of the process leaves nothing outside the folder. */
const sessionOf = ({ directory, memoryMegabytes, threads }: EngineSettings): Readonly<Record<string, string>> => ({
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  home_directory: directory,
  temp_directory: directory,
  memory_limit: `${memoryMegabytes}MB`,
  threads: String(threads),
  // Its entries are told apart by path and time, so that a file written twice within milliseconds would be read as it was before.
  enable_external_file_cache: "false",
});

/**
 * Opens an engine. The package is loaded at run time from one folder, the same way in a layer of Lambda, in a bundle and in tests:
 * a bundler cannot pack its native library.
 *
 * @throws Error `MODULE_NOT_FOUND` if the folder has no DuckDB.
 */
export const openEngine = async (settings: EngineSettings): Promise<LakeEngine> => {
  const requirePackage = createRequire(settings.packagePath);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `require` does not know the package's type.
  const { DuckDBInstance } = requirePackage("@duckdb/node-api") as typeof DuckDb;
  // The package's own decoder drops a byte order mark at the beginning of a text.
  Object.assign(requirePackage("@duckdb/node-api/lib/vectors/dataAccessors.js"), {
    textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }),
  });
  const instance = await DuckDBInstance.create(":memory:", sessionOf(settings));
  const connection = await instance.connect();
  return {
    rows: async ({ text, values }) => (await connection.runAndReadAll(text, [...values])).getRowObjectsJS(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
};
