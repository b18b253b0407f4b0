import { semaphore } from "../../async/semaphore.ts";
import type { StoredTrace, TraceReader, TraceState } from "./reader.ts";

/** Bytes of JSON up to which a document is read wherever it is wanted: dozens of them at a time are little. */
const small = 1024 * 1024;

/**
 * Does something with large documents: nothing else that has one is under way in this process. A document may have 32 MiB,
 * and takes four times as much memory while it is worked on. What is done with one must not ask for another turn.
 */
export const withLarge = semaphore(1);

/** Does something with the state of a trace; with a large document when it is its turn. */
export const withState = async <Result>(
  reader: Pick<TraceReader, "read" | "readSmall">,
  project: string,
  trace: string,
  work: (state: TraceState) => Promise<Result>,
): Promise<Result> => {
  const state = await reader.readSmall(project, trace, small);
  return state.kind === "large"
    ? await withLarge(async () => await work(await reader.read(project, trace)))
    : await work(state);
};

/** A trace, null when there is none; null in place of both when it is a large one, which is read by `withLarge`. */
export const glance = async (
  reader: Pick<TraceReader, "readSmall">,
  project: string,
  trace: string,
): Promise<{ readonly stored: StoredTrace | null } | null> => {
  const state = await reader.readSmall(project, trace, small);
  return state.kind === "large" ? null : { stored: state.kind === "stored" ? state : null };
};
