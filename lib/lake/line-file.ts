import { closeSync, openSync, writeSync } from "node:fs";

/** Characters that are collected before they are written. */
const chunkSize = 1_000_000;

/** A file of rows as lines of JSON. */
export interface LineFile {
  add(row: object): void;
  /** UTF-16 units of its lines. */
  size(): number;
  close(): void;
}

/** Creates a file of lines. Writing is synchronous: rows come faster than a stream of them could be read back. */
export const lineFile = (path: string): LineFile => {
  const file = openSync(path, "w");
  let [chunk, written] = ["", 0];
  const flush = (): void => {
    writeSync(file, chunk);
    written += chunk.length;
    chunk = "";
  };
  return {
    add: (row) => {
      chunk += `${JSON.stringify(row)}\n`;
      if (chunk.length >= chunkSize) flush();
    },
    size: () => written + chunk.length,
    close: () => {
      flush();
      closeSync(file);
    },
  };
};
