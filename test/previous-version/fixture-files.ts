import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { unpackFiles } from "./archive.ts";
import type { RecordedReply } from "./recorded-reply.ts";
import { itemsFromJson, type TableItems } from "./table-items.ts";

/** Where the fixture lies. */
export const fixtureDirectory = resolve(import.meta.dirname, "../fixtures/previous-version");

const read = (name: string): Buffer => readFileSync(resolve(fixtureDirectory, name));
const readText = (name: string): string => brotliDecompressSync(read(name)).toString("utf8");

/** What the fixture says of itself. */
export interface About {
  /** The version that wrote it. */
  readonly version: string;
  /** When its clock stopped, epoch milliseconds. */
  readonly writtenAt: number;
}

export const aboutFixture = (): About => JSON.parse(read("about.json").toString("utf8")) as About;

/** What the previous version answered to everything that could be read. */
export const previousReplies = (): readonly RecordedReply[] =>
  JSON.parse(readText("replies.json.br")) as RecordedReply[];

/**
 * The body of one of those replies.
 *
 * @param project as in `Asker`; absent outside of projects, where the first who asked counts that was told of something.
 */
export const answeredBefore = (path: string, project?: string) => {
  const found = previousReplies().filter((reply) => reply.path === path && reply.project === project);
  // oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into as they came.
  const bodies = found.map(({ body }) => body as any);
  return bodies.find(({ items }) => items?.length !== 0);
};

/** What its tables hold, by the names that its functions know them by. */
export const previousItems = (): TableItems => itemsFromJson(readText("items.json.br"));

/** Writes what `npm start` of the previous version left into a directory. */
export const unpackData = (directory: string): void => unpackFiles(read("data.br"), directory);

/** Writes the assembly of its stack, functions included, into a directory. */
export const unpackAssembly = (directory: string): void => unpackFiles(read("assembly.br"), directory);
