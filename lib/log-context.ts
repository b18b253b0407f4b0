import { AsyncLocalStorage } from "node:async_hooks";

/** The request that caused some work. Runs and queue messages store it, so that later work logs it too. */
export interface Origin {
  readonly organization_id?: string | undefined;
  /** Id of the API key, never the key; absent for a user. */
  readonly key_id?: string | undefined;
  /** W3C trace context of the request, in the form of `traceparentForm`. */
  readonly traceparent?: string | undefined;
}

/** Ids of the work in progress. Each log line within it has them; never content of traces, prompts or keys. */
export interface LogContext extends Origin {
  readonly request_id?: string | undefined;
  readonly project_id?: string | undefined;
  readonly monitor_id?: string | undefined;
  readonly run_id?: string | undefined;
}

/** Version, trace id, span id and flags of the W3C header `traceparent`. Ids of zeros and version `ff` are invalid. */
export const traceparentForm = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/u;

const contexts = new AsyncLocalStorage<LogContext>();

/** Runs `work`; log lines within it have the ids of `context`, and not those of an outer context. */
export const withLogContext = <Result>(context: LogContext, work: () => Result): Result => contexts.run(context, work);

/** Returns the ids of the work in progress; none outside of `withLogContext`. */
export const logContext = (): LogContext => contexts.getStore() ?? {};
