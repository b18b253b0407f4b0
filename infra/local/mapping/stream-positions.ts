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
}

/** Opens the positions in `streams.json`, which ensure at-least-once delivery across restarts. */
export const openPositions = (directory: string): Positions => {
  const path = join(directory, "streams.json");
  const positions = new Map(Object.entries(readJson<Record<string, Position>>(path) ?? {}));
  return {
    get: (key) => positions.get(key),
    set: (key, position) => {
      positions.set(key, position);
      writeJson(path, Object.fromEntries(positions));
    },
  };
};
