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

/** What comes back as it was sent. */
const asSent = new Set(["input", "output", "metadata", "token_usage", "model_parameters", "cost", "filters"]);

const wholeSecond = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\+00:00)$/u;

/** A reply with microseconds at every time: a whole second once came without. */
export const withMicroseconds = (value: unknown): unknown => {
  if (typeof value === "string") return value.replace(wholeSecond, "$1.000000$2");
  if (Array.isArray(value)) return value.map(withMicroseconds);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, asSent.has(name) ? each : withMicroseconds(each)]),
  );
};

/** What the previous version answered to everything that could be read, in the form that times have now. */
export const previousReplies = (): readonly RecordedReply[] =>
  (JSON.parse(readText("replies.json.br")) as RecordedReply[]).map((reply) =>
    Object.assign(reply, { body: withMicroseconds(reply.body) }),
  );

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
