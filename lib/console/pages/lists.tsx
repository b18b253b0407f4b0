import { ListView } from "../lists/list-view.tsx";
import { NoMatch } from "../lists/no-match.tsx";
import { sessionKind } from "../lists/session-kind.tsx";
import { traceKind } from "../lists/trace-kind.tsx";
import { userKind } from "../lists/user-kind.tsx";
import { count, dollars, duration, plural } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { lazyPart } from "../parts/lazy.tsx";
import { hrefTo, route } from "../route.ts";
import { client } from "../sign-in.ts";
import { NoTraces } from "../traces/no-traces.tsx";
import { useLoad } from "../use-load.ts";

// One page with all lists: they share most of their code, which other pages do not load.

const UserData = lazyPart(
  async () => (await import("../lists/user-data.tsx")).UserData,
  undefined,
  <div class="tools control-high" />,
);

/** Page with the list of traces, its filters, and the chart of their number over time. */
export const TracesPage = () => (
  <main class="traces">
    <h1 class="unseen">Traces</h1>
    <ListView kind={traceKind} whenEmpty={(isFiltered) => <NoTraces isFiltered={isFiltered} />} />
  </main>
);

/** Page with the list of sessions, whose totals cover their matching traces. */
export const SessionsPage = () => (
  <main class="traces">
    <h1 class="unseen">Sessions</h1>
    <ListView
      kind={sessionKind}
      whenEmpty={(isFiltered) => <NoMatch nouns="sessions" field="session_id" isFiltered={isFiltered} />}
    />
  </main>
);

/** Page with the list of users, whose totals cover their matching traces. */
export const UsersPage = () => (
  <main class="traces">
    <h1 class="unseen">Users</h1>
    <ListView
      kind={userKind}
      whenEmpty={(isFiltered) => <NoMatch nouns="users" field="user_id" isFiltered={isFiltered} />}
    />
  </main>
);

const views = [
  ["traces", "Traces"],
  ["sessions", "Sessions"],
] as const;

/** Totals of all traces of a user. */
const UserFacts = ({ id }: { readonly id: string }) => {
  const { value, error, reload } = useLoad(
    async (signal) => (await client.value.listUsers({ query: { user_id: id, limit: 1 } }, { signal })).items,
    [id],
  );
  const [user] = value ?? [];
  if (user === undefined) return <ErrorAlert error={error} reload={reload} />;
  return (
    <p class="facts">
      <span>{plural(user.trace_count, "trace")}</span>
      <a class={user.error_count > 0 ? "bad" : ""} href={hrefTo("users", id, { status: "ERROR" })}>
        {count(user.error_count)} failed
      </a>
      <span>{plural(user.total_tokens, "token")}</span>
      <span>{dollars(user.total_cost)}</span>
      {user.unpriced_tokens > 0 && <span>{count(user.unpriced_tokens)} unpriced tokens</span>}
      <span>{duration(user.total_latency_ms)} in all</span>
      <span>
        first <LocalTime at={user.first_seen} />
      </span>
      <span>
        last <LocalTime at={user.last_seen} />
      </span>
    </p>
  );
};

/** Page of a user: totals of all traces, and the lists of their traces and sessions. */
export const UserPage = ({ id }: { readonly id: string }) => {
  const isOfSessions = route.value.query["view"] === "sessions";
  const whenEmpty = (field: string) => (isFiltered: boolean) => (
    <NoMatch nouns={isOfSessions ? "sessions" : "traces"} field={field} isFiltered={isFiltered} />
  );
  const fixed = { user_id: id };
  return (
    <main class="traces">
      <p>
        <a href={hrefTo("users")}>← Users</a>
      </p>
      <header class="head">
        <h1 dir="auto">{id}</h1>
        <UserFacts id={id} />
        <UserData id={id} />
        <nav class="switch" aria-label="Lists of the user">
          {views.map(([view, title]) => (
            <a
              href={hrefTo("users", id, { view: view === "sessions" ? view : null })}
              aria-current={isOfSessions === (view === "sessions") ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      </header>
      {isOfSessions ? (
        <ListView key="sessions" kind={sessionKind} fixed={fixed} whenEmpty={whenEmpty("session_id")} />
      ) : (
        <ListView key="traces" kind={traceKind} fixed={fixed} whenEmpty={whenEmpty("user_id")} />
      )}
    </main>
  );
};
