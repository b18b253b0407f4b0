import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { unpackFiles } from "./archive.ts";
import type { RecordedReply } from "./recorded-reply.ts";
import { itemsFromJson, type TableItems } from "./table-items.ts";

/** Directory of the fixture. */
export const fixtureDirectory = resolve(import.meta.dirname, "../fixtures/previous-version");

const read = (name: string): Buffer => readFileSync(resolve(fixtureDirectory, name));
const readText = (name: string): string => brotliDecompressSync(read(name)).toString("utf8");

/** Metadata of the fixture. */
export interface FixtureDescription {
  /** Version that wrote the fixture. */
  readonly version: string;
  /** Clock of the service at its end, epoch milliseconds. */
  readonly writtenAt: number;
}

export const aboutFixture = (): FixtureDescription =>
  JSON.parse(read("about.json").toString("utf8")) as FixtureDescription;

let replies: readonly RecordedReply[] | undefined;

/** Recorded replies of the previous version to all reads; the tests only read them. */
export const previousReplies = (): readonly RecordedReply[] =>
  (replies ??= JSON.parse(readText("replies.json.br")) as RecordedReply[]);

/**
 * Body of a recorded reply.
 * @param project as in `Asker`; when absent, the first reply outside of projects that is not an empty list.
 */
export const answeredBefore = (path: string, project?: string) => {
  const replies = previousReplies().filter((reply) => reply.path === path && reply.project === project);
  // oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into as they came.
  const bodies = replies.map(({ body }) => body as any);
  return bodies.find((body) => (body.items ?? body).length !== 0);
};

/** The fixture's table items, by logical table name. */
export const previousItems = (): TableItems => itemsFromJson(readText("items.json.br"));

/** Unpacks the data directory of the previous version's `npm start`. */
export const unpackData = (directory: string): void => unpackFiles(read("data.br"), directory);

/** Unpacks the previous version's cloud assembly with its functions. */
export const unpackAssembly = (directory: string): void => unpackFiles(read("assembly.br"), directory);
