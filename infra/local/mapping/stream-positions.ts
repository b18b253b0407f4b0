import { join } from "node:path";
import { readJson, writeJson } from "../host/json-file.ts";
import type { OpenWindow } from "./tumbling-window.ts";

/** How far a mapping has come in a shard. */
interface Position {
  /** The last record that is done with. */
  readonly sequence: string;
  readonly window?: OpenWindow;
}

/** Positions by mapping, stream and shard. */
export interface Positions {
  get(key: string): Position | undefined;
  set(key: string, position: Position): void;
}

/** Keeps positions in `streams.json`, so that after a restart every record is delivered at least once. */
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
