import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { ApiError } from "../client/errors.ts";
import { trackRequest } from "./in-flight.ts";
import { signOutIfUnauthorized } from "./sign-in.ts";

/** State of a request whose result a component shows. */
export interface LoadState<Value> {
  /** Latest result, kept during a reload; null before the first one. */
  readonly value: Value | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Runs a request on mount and whenever a dependency changes, and aborts the previous one.
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
  const state: ReadonlySignal<Omit<LoadState<Value>, "reload">> & { value: Omit<LoadState<Value>, "reload"> } =
    useSignal({
      value: null,
      error: null,
      isLoading: true,
    });
  const reloadCount = useSignal(0);
  const latestRequest = useRef(request);
  latestRequest.current = request;
  const reload = useCallback(() => {
    reloadCount.value += 1;
  }, [reloadCount]);
  useEffect(() => {
    state.value = { value: null, error: null, isLoading: true };
  }, dependencies);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      let pause = interval;
      state.value = { ...state.peek(), isLoading: true };
      try {
        const value = await trackRequest(latestRequest.current(abort.signal));
        if (abort.signal.aborted) return;
        state.value = { value, error: null, isLoading: false };
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
    void load();
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [...dependencies, reloadCount.value, interval]);
  return { ...state.value, reload };
};
