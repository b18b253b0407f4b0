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

/** Milliseconds after which a new position is in the file, with all others that were set in the meantime, and after which a failed write is repeated. */
const [writeDelay, retryDelay] = [100, 1_000];

/**
 * Opens the positions in `streams.json`, which ensure at-least-once delivery across restarts: after a kill, the records of the last
 * moments are delivered again.
 *
 * @param onError callback with the error of a failed write, which is repeated
 */
export const openPositions = (directory: string, onError: (error: unknown) => void): Positions => {
  const path = join(directory, "streams.json");
  const positions = new Map(Object.entries(readJson<Record<string, Position>>(path) ?? {}));
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => writeJson(path, Object.fromEntries(positions));
  const writeIn = (milliseconds: number): NodeJS.Timeout =>
    setTimeout(() => {
      timer = undefined;
      try {
        write();
      } catch (error) {
        onError(error);
        timer = writeIn(retryDelay);
      }
    }, milliseconds);
  return {
    get: (key) => positions.get(key),
    set: (key, position) => {
      positions.set(key, position);
      timer ??= writeIn(writeDelay);
    },
    close: () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      write();
    },
  };
};
