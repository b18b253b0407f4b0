import { useRef } from "preact/hooks";
import { useLoad, type LoadState } from "../use-load.ts";

/** A result with the dependencies that it was loaded for. */
interface WindowResult<Value, Dependencies> {
  readonly value: Value;
  readonly dependencies: Dependencies;
}

/**
 * Runs a request as `useLoad` does, and keeps the previous result, with its dependencies, until the next one is there.
 *
 * @param key parts of the dependencies whose change repeats the request. @param interval milliseconds between repeated requests.
 */
export const useWindowLoad = <Value, Dependencies>(
  request: (dependencies: Dependencies, signal: AbortSignal) => Promise<Value>,
  dependencies: Dependencies,
  key: readonly unknown[],
  interval: number | null = null,
): LoadState<WindowResult<Value, Dependencies>> & {
  /** True while the result is the previous one. */
  readonly isStale: boolean;
} => {
  const state = useLoad(
    async (signal) => ({ value: await request(dependencies, signal), dependencies }),
    key,
    interval,
  );
  const latest = useRef<WindowResult<Value, Dependencies> | null>(null);
  if (state.value !== null) latest.current = state.value;
  const previous = state.error === null ? latest.current : null;
  return { ...state, value: state.value ?? previous, isStale: state.value === null && previous !== null };
};
