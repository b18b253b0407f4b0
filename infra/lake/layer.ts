import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPackages } from "../supply/install-packages.ts";

const layer = join(import.meta.dirname, "layer");
const packages = join(layer, "nodejs");

/** Options of npm with which it installs DuckDB for the functions' machines instead of this one; its lock file has the sums. */
const platform = ["--os=linux", "--cpu=arm64", "--libc=glibc"];

/** What an operator reads who synthesizes the stack without the layer. */
export const missingLayer =
  "The lake's writer has no DuckDB, so that exports write no files. npm run deploy installs it; for another command run first: " +
  `npm ci --prefix infra/lake/layer/nodejs ${platform.join(" ")}`;

/** Installs the layer with DuckDB, on first use. @throws Error with the command to run when npm fails. */
export const installLakeLayer = (): void => installPackages(packages, platform);

/** Returns the folder of the layer with DuckDB; undefined while it is not installed. */
export const lakeLayer = (): string | undefined =>
  existsSync(join(packages, "node_modules/@duckdb/node-bindings-linux-arm64")) ? layer : undefined;
