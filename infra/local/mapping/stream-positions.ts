import { join } from "node:path";
import { readJson, writeJson } from "../host/json-file.ts";
import type { OpenWindow } from "./tumbling-window.ts";

/** A mapping's position in a shard. */
interface Position {
  /** Sequence number of the last record that was handled or discarded. */
  readonly sequence: string;
  readonly window?: OpenWindow;
}

/** Store of positions; the key consists of mapping id, stream ARN and shard id. */
export interface Positions {
  get(key: string): Position | undefined;
  set(key: string, position: Position): void;
  /** Writes the positions that are not in the file yet. */
  close(): void;
}

/** Milliseconds after which a new position is in the file, with all others that were set in the meantime. */
const writeDelay = 100;

/**
 * Opens the positions in `streams.json`, which ensure at-least-once delivery across restarts: after a kill, the records of the last
 * moments are delivered again.
 */
export const openPositions = (directory: string): Positions => {
  const path = join(directory, "streams.json");
  const positions = new Map(Object.entries(readJson<Record<string, Position>>(path) ?? {}));
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    writeJson(path, Object.fromEntries(positions));
  };
  return {
    get: (key) => positions.get(key),
    set: (key, position) => {
      positions.set(key, position);
      timer ??= setTimeout(write, writeDelay);
    },
    close: () => {
      if (timer !== undefined) write();
    },
  };
};
