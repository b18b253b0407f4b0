import { closeSync, openSync, writeSync } from "node:fs";

/** Characters that are collected before they are written. */
const chunkSize = 1_000_000;

/** A file of rows as lines of JSON. */
export interface LineFile {
  add(row: object): void;
  close(): void;
}

/** Creates a file of lines. Writing is synchronous: rows come faster than a stream of them could be read back. */
export const lineFile = (path: string): LineFile => {
  const file = openSync(path, "w");
  let chunk = "";
  const flush = (): void => {
    writeSync(file, chunk);
    chunk = "";
  };
  return {
    add: (row) => {
      chunk += `${JSON.stringify(row)}\n`;
      if (chunk.length >= chunkSize) flush();
    },
    close: () => {
      flush();
      closeSync(file);
    },
  };
};
