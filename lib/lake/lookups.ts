import { mkdir } from "node:fs/promises";
import { openEngine, type EngineSettings } from "./engine.ts";
import { fileCopies } from "./file-copies.ts";
import type { ObjectStore } from "./object-store.ts";
import { sessionLookup } from "./sessions/session-lookup.ts";
import { sumLookup } from "./sum-lookup.ts";
import { targetLookup } from "./target-lookup.ts";
import { traceLookup } from "./trace-lookup.ts";
import { wordLookup } from "./word-lookup.ts";

const openLookups = async (objects: ObjectStore, settings: EngineSettings) => {
  await mkdir(settings.directory, { recursive: true });
  const [engine, copies] = [await openEngine(settings), fileCopies(objects, settings.directory)];
  return {
    words: wordLookup(copies, engine),
    traces: traceLookup(copies, engine),
    sums: sumLookup(copies, engine),
    sessions: sessionLookup(copies, engine),
    targets: targetLookup(copies, engine),
  };
};

/**
 * Returns a function that opens an engine for lookups of words, traces, sums, sessions and targets of scores at its first call, and returns the same lookups later. After a
 * failure the next call tries again.
 *
 * @param settings those of the engine, whose folder has the copies of files, too.
 */
export const lakeLookups = (objects: ObjectStore, settings: EngineSettings) => {
  let lookups: ReturnType<typeof openLookups> | undefined;
  return () =>
    (lookups ??= openLookups(objects, settings).catch((error: unknown) => {
      lookups = undefined;
      throw error;
    }));
};
