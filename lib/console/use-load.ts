import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { ApiError } from "../client/errors.ts";
import { isLoadingPaused, trackRequest } from "./in-flight.ts";
import { signOutIfUnauthorized } from "./sign-in.ts";

/** State of a request whose result a component shows. */
export interface LoadState<Value> {
  /** Latest result, kept during a reload; null before the first one. */
  readonly value: Value | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** State of a request with the dependencies that it was sent for. */
type StoredState<Value> = Omit<LoadState<Value>, "reload"> & { readonly dependencies: readonly unknown[] };

/**
 * Runs a request on mount and whenever a dependency changes, and aborts the previous one. What an earlier request has found is never
 * returned beside changed dependencies, so no effect can act on it.
 *
 * @param interval milliseconds between repeated requests while the page is visible; null for no repetition.
 * @param canChange decides from the latest value (null before the first) if the request is repeated.
 * @example
 * const { value, error, reload } = useLoad((signal) => client.value.getMe(undefined, { signal }), []);
 */
export const useLoad = <Value>(
  request: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
  interval: number | null = null,
  canChange: (value: Value | null) => boolean = () => true,
): LoadState<Value> => {
  const initial: StoredState<Value> = { value: null, error: null, isLoading: true, dependencies };
  const state = useSignal(initial);
  const isCurrent = ({ dependencies: sentFor }: StoredState<Value>): boolean =>
    dependencies.every((each, index) => Object.is(each, sentFor[index]));
  const reloadCount = useSignal(0);
  const latestRequest = useRef(request);
  latestRequest.current = request;
  const reload = useCallback(() => {
    reloadCount.value += 1;
  }, [reloadCount]);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      let pause = interval;
      state.value = isCurrent(state.peek()) ? { ...state.peek(), isLoading: true } : initial;
      try {
        const value = await trackRequest(latestRequest.current(abort.signal));
        if (abort.signal.aborted) return;
        state.value = { value, error: null, isLoading: false, dependencies };
      } catch (error) {
        if (abort.signal.aborted) return;
        signOutIfUnauthorized(error);
        if (error instanceof ApiError && pause !== null) pause = Math.max(pause, error.retryAfter ?? 0);
        state.value = { ...state.peek(), error, isLoading: false };
      }
      if (pause !== null && canChange(state.peek().value)) timer = setTimeout(loadIfVisible, pause);
    };
    const loadIfVisible = (): void => {
      if (document.hidden) timer = setTimeout(loadIfVisible, 1_000);
      else void load();
    };
    const end = (): void => {
      clearTimeout(timer);
      abort.abort();
    };
    if (!isLoadingPaused.peek()) void load();
    const unsubscribe = isLoadingPaused.subscribe((isPaused) => isPaused && end());
    return () => {
      unsubscribe();
      end();
    };
  }, [...dependencies, reloadCount.value, interval, isLoadingPaused.value]);
  const { value, error, isLoading } = isCurrent(state.value) ? state.value : initial;
  return { value, error, isLoading, reload };
};
