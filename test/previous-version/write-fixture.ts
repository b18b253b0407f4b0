import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brotliCompressSync } from "node:zlib";
import packageFile from "../../package.json" with { type: "json" };
import { filesBelow, type Files, packFiles } from "./archive.ts";
import { type FixtureDescription, fixtureDirectory } from "./fixture-files.ts";
import type { RecordedReply } from "./recorded-reply.ts";
import { itemsToJson, type TableItems } from "./table-items.ts";

/** Data of a version to pack in addition to its directory. */
export interface FixtureData extends Pick<FixtureDescription, "writtenAt"> {
  /** Directory of the stack's cloud assembly. */
  readonly source: string;
  readonly replies: readonly RecordedReply[];
  readonly items: TableItems;
}

/** Permanent files of the directory of `npm start`; each start recreates the others. */
const lasting =
  /^(?:dynamodb\.sqlite|events\.jsonl|(?:credentials|gateway-keys|issuer|pids|schedules|streams)\.json)$/u;

/** Compacts a database as after a day without writes: each stream keeps its newest record only. */
const compact = (path: string): void => {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = DELETE;
    DELETE FROM _stream_records WHERE id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name);
    VACUUM;`);
  database.close();
};

/** State of an ended process, independent of the machine. */
const pids = { runtime: { pid: 4_194_303, command: "node infra/local/start.ts" }, started: [] };

const refusePaths = (files: Files): void => {
  const paths = [resolve(import.meta.dirname, "../.."), homedir(), tmpdir(), process.execPath];
  for (const [name, bytes] of files)
    for (const path of paths)
      if (path.length > 1 && bytes.includes(`${path}/`)) throw new Error(`${name} names ${path}.`);
};

const write = (name: string, bytes: Buffer): void => {
  writeFileSync(join(fixtureDirectory, name), bytes);
  console.log(`${name}: ${Math.ceil(bytes.length / 1024)} KiB`);
};

/** Packs a directory and its additional data into the fixture. */
export const writeFixture = (directory: string, { source, writtenAt, replies, items }: FixtureData): void => {
  for (const name of readdirSync(directory))
    if (!lasting.test(name)) rmSync(join(directory, name), { recursive: true });
  compact(join(directory, "dynamodb.sqlite"));
  writeFileSync(join(directory, "pids.json"), `${JSON.stringify(pids, undefined, 2)}\n`);
  const [data, assembly] = [filesBelow(directory), filesBelow(source)];
  for (const files of [data, assembly]) refusePaths(files);
  mkdirSync(fixtureDirectory, { recursive: true });
  const about: FixtureDescription = { version: packageFile.version, writtenAt };
  write("about.json", Buffer.from(`${JSON.stringify(about, undefined, 2)}\n`));
  write("data.br", packFiles(data));
  write("assembly.br", packFiles(assembly));
  write("items.json.br", brotliCompressSync(itemsToJson(items)));
  write("replies.json.br", brotliCompressSync(JSON.stringify(replies)));
};
