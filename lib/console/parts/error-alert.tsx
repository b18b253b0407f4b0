import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import {
  ApiError,
  ConnectionError,
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
} from "../../client/errors.ts";
import { hrefTo, pagesWithoutProject, route } from "../route.ts";
import { lastProject } from "../sign-in.ts";
import { useTimeUntil } from "./notices.tsx";

/** Link to the usage of the monthly ceilings, for messages of the service that mention one. */
export const CeilingsLink = ({ message }: { readonly message: string }) =>
  /\bceiling\b/u.test(message) ? <a href={hrefTo("runs")}>Ceiling usage</a> : null;

/** Returns a general explanation of an error for the user; null if its own message is enough. */
const headingOf = (error: unknown): string | null => {
  if (error instanceof ConnectionError) return "The service is unreachable. The data shown may be outdated.";
  if (error instanceof TimeoutError) return "The request timed out.";
  if (error instanceof ForbiddenError) return "You are not allowed to do this.";
  if (error instanceof RateLimitedError) return "Too many requests.";
  if (error instanceof ApiError && error.status >= 500) return "Internal error of the service.";
  return null;
};

/** Returns the message of an error; without its place if that is the search field, which the user has just filled. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^query -> q: /u, "");

/** Sentence for a 404 that names the project it came from: a link may be of another one. */
const SearchedProject = () => {
  const { name } = lastProject();
  return name === null || pagesWithoutProject.has(route.value.page) ? null : <> The project {name} was searched.</>;
};

/** Milliseconds after which a rate-limited request may be repeated if the service names no time. */
const defaultRetryTime = 60_000;

/** A displayed failure of a load. */
interface LoadFailure {
  /** Heading or message, the same for failures of the same cause. */
  readonly cause: string;
  /** Dialog around the alert; null on the page itself. */
  readonly dialog: Element | null;
  readonly reload: () => void;
}

/** Failures of loads; those of the same cause share one alert. */
const loadFailures = signal<readonly LoadFailure[]>([]);

/** Sentence that says when a rate-limited request can be repeated. */
const RetryTime = ({ error }: { readonly error: RateLimitedError }) => {
  const until = useMemo(() => Date.now() + (error.retryAfter ?? defaultRetryTime), [error]);
  return <> Try again {useTimeUntil(until) ?? "now"}.</>;
};

/**
 * Alert for a failed request with a retry button; retries by itself when the browser is online again. Loads that fail for the
 * same cause have one alert, whose button repeats all of them.
 */
export const ErrorAlert = ({
  error,
  reload,
  isSeparate = false,
}: {
  /** Error to show; null renders nothing. */
  readonly error: unknown;
  /** Repeats the failed request. */
  readonly reload: () => void;
  /** True for the failure of an action, which is never repeated together with others. */
  readonly isSeparate?: boolean;
}) => {
  const box = useRef<HTMLDivElement>(null);
  const failure = useRef<LoadFailure | null>(null);
  const latestReload = useRef(reload);
  latestReload.current = reload;
  const isOffline = error instanceof ConnectionError;
  useEffect(() => {
    if (!isOffline) return undefined;
    addEventListener("online", reload);
    return () => removeEventListener("online", reload);
  }, [isOffline, reload]);
  const heading = headingOf(error);
  const cause = error === null || isSeparate ? null : (heading ?? messageOf(error));
  useLayoutEffect(() => {
    if (cause === null) return undefined;
    const registered: LoadFailure = {
      cause,
      dialog: box.current?.closest("dialog") ?? null,
      reload: () => latestReload.current(),
    };
    failure.current = registered;
    loadFailures.value = [...loadFailures.peek(), registered];
    return () => {
      failure.current = null;
      loadFailures.value = loadFailures.peek().filter((each) => each !== registered);
    };
  }, [cause]);
  if (error === null) return null;
  const ownFailure = failure.current;
  const sameFailures = loadFailures.value.filter(
    (each) => each.cause === ownFailure?.cause && each.dialog === ownFailure.dialog,
  );
  const retry = (): void => {
    if (sameFailures.length === 0) reload();
    for (const each of sameFailures) each.reload();
  };
  if (!isSeparate && sameFailures[0] !== ownFailure) return <div hidden ref={box} />;
  return (
    <div class="trouble" role="alert" ref={box}>
      {heading !== null && (
        <p>
          {heading}
          {error instanceof RateLimitedError && <RetryTime error={error} />}
        </p>
      )}
      <p class={heading === null ? "" : "faint"}>
        {messageOf(error)} <CeilingsLink message={messageOf(error)} />
        {error instanceof NotFoundError && <SearchedProject />}
      </p>
      {error instanceof ApiError && error.requestId !== null && <p class="faint">Request {error.requestId}</p>}
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
};
