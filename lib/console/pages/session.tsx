import { signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Client } from "../../client/client.ts";
import type { SessionDetail, Trace } from "../../client/interface.ts";
import { useShortcuts } from "../shortcuts.ts";
import { useLoad } from "../use-load.ts";
import { EvaluateDialog } from "../runs/lazy-evaluate-dialog.ts";
import { useAction } from "../parts/action.tsx";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { SessionScoreCard } from "../session/session-score-card.tsx";
import { TranscriptView } from "../trace/transcript-view.tsx";
import { LoadMore } from "../parts/load-more.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { useScrollRestoration } from "../parts/use-scroll-restoration.ts";
import { Fact } from "../display/fact.tsx";
import { Skeleton } from "../display/skeleton.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { navigate, hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { newestByName } from "../trace/newest-scores.ts";
import { buildTranscript } from "../trace/transcript.ts";
import { count, dollars, plural } from "../format.ts";

/** Traces per request. */
const tracesPerPage = 20;

/** Milliseconds between reloads of the session's scores. */
const pollInterval = 10_000;

/** Traces of a session beyond the first page. */
interface LaterTraces {
  readonly client: Client | null;
  readonly id: string;
  /** Number of traces in the session at the time of the request. */
  readonly total: number;
  readonly later: readonly Trace[];
  readonly cursor: string | null | undefined;
}

const noLaterTraces: LaterTraces = { client: null, id: "", total: 0, later: [], cursor: undefined };

/** Later traces of the last displayed session, kept for a return to its page. */
const laterTraces = signal(noLaterTraces);

const SessionTrace = ({ trace }: { readonly trace: Trace }) => {
  const turns = useMemo(() => buildTranscript(trace), [trace]);
  return (
    <section aria-label={trace.name} class="of-session">
      <h2>
        <StatusLabel status={trace.status} isShort />{" "}
        <a href={hrefTo("traces", trace.trace_id)} dir="auto">
          {trace.name}
        </a>{" "}
        <span class="faint">
          <LocalTime at={trace.started_at} />
        </span>
      </h2>
      <TranscriptView
        turns={turns}
        selectedId={null}
        onSelect={(span) => navigate(hrefTo("traces", trace.trace_id, { span }))}
      />
    </section>
  );
};

/** Id of a session with a button to evaluate it, and the sums of its traces. */
const SessionHead = ({ session, onEvaluate }: { readonly session: SessionDetail; readonly onEvaluate: () => void }) => (
  <header class="head">
    <div class="title">
      <h1 dir="auto">{session.session_id}</h1>
      <p class="buttons">
        <button type="button" class="main writes" onClick={onEvaluate}>
          Evaluate …
        </button>
      </p>
    </div>
    <dl class="facts">
      <Fact title="Traces">
        <a href={hrefTo("traces", null, { session_id: session.session_id })}>{plural(session.trace_count, "trace")}</a>
        {session.has_failed_span && (
          <span class="bad"> ✕ {session.has_error ? "a failed trace" : "a failed span"}</span>
        )}
      </Fact>
      <Fact title="Started">
        <LocalTime at={session.first_trace_at} />
      </Fact>
      <Fact title="Tokens">{count(session.total_tokens)}</Fact>
      <Fact title="Cost">{dollars(session.total_cost)}</Fact>
      {session.user_id !== null && (
        <Fact title="User">
          <a href={hrefTo("users", session.user_id)}>{session.user_id}</a>
        </Fact>
      )}
    </dl>
  </header>
);

/** Page of a session: the transcripts of its traces, beside its scores. */
export const SessionPage = ({ id }: { readonly id: string }) => {
  const path = { session_id: id };
  const {
    value: session,
    error,
    reload,
  } = useLoad((signal) => client.value.getSession({ path, query: { limit: tracesPerPage } }, { signal }), [id]);
  const scores = useLoad(
    (signal) => client.value.getSessionScores({ path: { score_id: id } }, { signal }),
    [id],
    pollInterval,
  );
  const history = useLoad(
    (signal) => client.value.getSessionScoreHistory({ path, query: { limit: 100 } }, { signal }),
    [id, scores.value?.length, scores.value?.[0]?.updated_at],
  );
  const isOpen = useSignal(false);
  const { perform, errorAlert } = useAction();
  useShortcuts({
    e: [() => (isOpen.value = true), "evaluate", true],
    Escape: [() => navigate(hrefTo("sessions")), "back"],
  });
  useScrollRestoration(session !== null);
  if (session === null)
    return (
      <main aria-busy={error === null}>
        <h1 dir="auto">{id}</h1>
        {error === null ? <LoadingNote>Loading the session</LoadingNote> : <ErrorAlert error={error} reload={reload} />}
        {error === null && <Skeleton />}
      </main>
    );
  const { client: loadedWith, total } = laterTraces.value;
  const isCurrent = loadedWith === client.value && laterTraces.value.id === id && total === session.trace_count;
  const { later, cursor = session.next_cursor } = isCurrent ? laterTraces.value : noLaterTraces;
  const loadMore = (): Promise<void> =>
    perform(async () => {
      if (cursor === null) return;
      const reply = await client.value.getSession({ path, query: { limit: tracesPerPage, cursor } });
      laterTraces.value = {
        client: client.value,
        id,
        total: session.trace_count,
        later: [...later, ...reply.traces],
        cursor: reply.next_cursor,
      };
    });
  const traces = [...session.traces, ...later];
  const points = Map.groupBy(
    (history.value ?? []).toSorted((a, b) => a.created_at.localeCompare(b.created_at)),
    ({ metric_name: name }) => name,
  );
  return (
    <main>
      <p>
        <a href={hrefTo("sessions")}>← Sessions</a>
      </p>
      <SessionHead session={session} onEvaluate={() => (isOpen.value = true)} />
      <div class={scores.value?.length === 0 ? "what" : "columns"}>
        <section class="what" aria-label="Transcript">
          {traces.map((trace) => (
            <SessionTrace key={trace.trace_id} trace={trace} />
          ))}
          {errorAlert}
          {cursor !== null && (
            <LoadMore
              load={() => void loadMore()}
            >{`${plural(session.trace_count - traces.length, "trace")} more`}</LoadMore>
          )}
        </section>
        {scores.value?.length !== 0 && (
          <section class="why" aria-label="Scores">
            <h2>Scores</h2>
            <ErrorAlert {...scores} />
            {newestByName(scores.value ?? []).map(({ score }) => (
              <SessionScoreCard key={score.id} score={score} history={points.get(score.name) ?? []} />
            ))}
          </section>
        )}
      </div>
      {isOpen.value && (
        <EvaluateDialog
          targets={{ kind: "sessions", ids: [id] }}
          onClose={() => {
            isOpen.value = false;
            scores.reload();
          }}
        />
      )}
    </main>
  );
};
