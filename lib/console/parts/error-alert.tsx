import { useEffect } from "preact/hooks";
import { ApiError, ConnectionError, ForbiddenError, RateLimitedError, TimeoutError } from "../../client/errors.ts";
import { hrefTo } from "../route.ts";

/** Link to the usage of the monthly ceilings, for messages of the service that mention one. */
export const CeilingsLink = ({ message }: { readonly message: string }) =>
  /\bceiling\b/u.test(message) ? <a href={hrefTo("runs")}>Ceiling usage</a> : null;

/** Time until the service accepts the next request, as text. */
const retryTime = (error: RateLimitedError): string =>
  error.retryAfter === null ? "in a minute" : `in ${Math.max(1, Math.ceil(error.retryAfter / 1_000))} s`;

/** Returns a general explanation of an error for the user; null if its own message is enough. */
const headingOf = (error: unknown): string | null => {
  if (error instanceof ConnectionError) return "The service is unreachable. The data shown may be outdated.";
  if (error instanceof TimeoutError) return "The request timed out.";
  if (error instanceof ForbiddenError) return "You are not allowed to do this.";
  if (error instanceof RateLimitedError) return `Too many requests. Try again ${retryTime(error)}.`;
  if (error instanceof ApiError && error.status >= 500) return "Internal error of the service.";
  return null;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Alert for a failed request with a retry button; retries by itself when the browser is online again. */
export const ErrorAlert = ({
  error,
  reload,
}: {
  /** Error to show; null renders nothing. */
  readonly error: unknown;
  /** Repeats the failed request. */
  readonly reload: () => void;
}) => {
  const isOffline = error instanceof ConnectionError;
  useEffect(() => {
    if (!isOffline) return undefined;
    addEventListener("online", reload);
    return () => removeEventListener("online", reload);
  }, [isOffline, reload]);
  if (error === null) return null;
  const heading = headingOf(error);
  return (
    <div class="trouble" role="alert">
      {heading !== null && <p>{heading}</p>}
      <p class={heading === null ? "" : "faint"}>
        {messageOf(error)} <CeilingsLink message={messageOf(error)} />
      </p>
      {error instanceof ApiError && error.requestId !== null && <p class="faint">Request {error.requestId}</p>}
      <button type="button" onClick={reload}>
        Try again
      </button>
    </div>
  );
};
