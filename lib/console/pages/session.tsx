import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Trace } from "../../client/interface.ts";
import { useKeys } from "../keys.ts";
import { useLoad } from "../load.ts";
import { Evaluate } from "../runs/evaluate.tsx";
import { Instant } from "../parts/instant.tsx";
import { SessionVerdict } from "../session/session-score.tsx";
import { Status } from "../parts/status.tsx";
import { Transcript } from "../trace/turns.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { goTo, hrefTo } from "../place.ts";
import { client, notice } from "../sign-in.ts";
import { newestOfEach } from "../trace/newest.ts";
import { transcriptOf } from "../trace/transcript.ts";
import { count, dollars, plural } from "../words.ts";

/** Traces read at once. */
const size = 20;

/** Milliseconds between two looks at its scores. */
const pace = 10_000;

const OneTrace = ({ trace }: { readonly trace: Trace }) => {
  const turns = useMemo(() => transcriptOf(trace), [trace]);
  return (
    <section aria-label={trace.name} class="of-session">
      <h2>
        <Status of={trace.status} isShort />{" "}
        <a href={hrefTo("traces", trace.trace_id)} dir="auto">
          {trace.name}
        </a>{" "}
        <span class="faint">
          <Instant at={trace.started_at} />
        </span>
      </h2>
      <Transcript turns={turns} chosen={null} choose={(span) => goTo(hrefTo("traces", trace.trace_id, { span }))} />
    </section>
  );
};

/** Did the conversation work? */
export const SessionPage = ({ id }: { readonly id: string }) => {
  const path = { session_id: id };
  const {
    value: session,
    error,
    again,
  } = useLoad((signal) => client.value.getSession({ path, query: { limit: size } }, { signal }), [id]);
  const scores = useLoad((signal) => client.value.getSessionScores({ path: { score_id: id } }, { signal }), [id], pace);
  const history = useLoad(
    (signal) => client.value.getSessionScoreHistory({ path, query: { limit: 100 } }, { signal }),
    [id, scores.value?.length, scores.value?.[0]?.updated_at],
  );
  const [later, cursor] = [useSignal<readonly Trace[]>([]), useSignal<string | null | undefined>(undefined)];
  const [trouble, isOpen] = [useSignal<unknown>(null), useSignal(false)];
  useKeys({
    e: [() => (isOpen.value = true), "evaluate", true],
    Escape: [() => goTo(hrefTo("traces", null, { session_id: id })), "back"],
  });
  if (session === null)
    return (
      <main aria-busy={error === null}>
        {error === null ? <Waiting>Loading the session</Waiting> : <Trouble error={error} again={again} />}
      </main>
    );
  const next = cursor.value === undefined ? session.next_cursor : cursor.value;
  const more = async (): Promise<void> => {
    if (next === null) return;
    trouble.value = null;
    try {
      const reply = await client.value.getSession({ path, query: { limit: size, cursor: next } });
      [later.value, cursor.value] = [[...later.value, ...reply.traces], reply.next_cursor];
    } catch (thrown) {
      notice(thrown);
      trouble.value = thrown;
    }
  };
  const traces = [...session.traces, ...later.value];
  const points = Map.groupBy(
    (history.value ?? []).toSorted((a, b) => a.created_at.localeCompare(b.created_at)),
    ({ metric_name: name }) => name,
  );
  return (
    <main>
      <p>
        <a href={hrefTo("traces", null, { session_id: id })}>← Its traces</a>
      </p>
      <header class="head">
        <div class="title">
          <h1 dir="auto">{id}</h1>
          <p class="buttons">
            <button type="button" class="main writes" onClick={() => (isOpen.value = true)}>
              Evaluate …
            </button>
          </p>
        </div>
        <p class="facts">
          <span>{plural(session.trace_count, "trace")}</span>
          <Instant at={session.first_trace_at} />
          {session.has_error && <span class="bad">✕ an error</span>}
          {session.total_tokens > 0 && <span>{count(session.total_tokens)} tokens</span>}
          {session.total_cost > 0 && <span>{dollars(session.total_cost)}</span>}
          {session.user_id !== null && (
            <a href={hrefTo("traces", null, { user_id: session.user_id })} dir="auto">
              {session.user_id}
            </a>
          )}
        </p>
      </header>
      <div class="columns">
        <section class="what" aria-label="What was said">
          {traces.map((trace) => (
            <OneTrace key={trace.trace_id} trace={trace} />
          ))}
          {trouble.value !== null && <Trouble error={trouble.value} again={() => void more()} />}
          {next !== null && (
            <p>
              <button type="button" onClick={() => void more()}>
                {plural(session.trace_count - traces.length, "trace")} more
              </button>
            </p>
          )}
        </section>
        <section class="why" aria-label="Verdicts">
          <h2>Verdicts</h2>
          {scores.error !== null && <Trouble error={scores.error} again={scores.again} />}
          {scores.value?.length === 0 && <p class="faint">Nobody has judged this session yet: evaluate it.</p>}
          {newestOfEach(scores.value ?? []).map(({ score }) => (
            <SessionVerdict key={score.id} score={score} history={points.get(score.name) ?? []} />
          ))}
        </section>
      </div>
      {isOpen.value && (
        <Evaluate
          targets={{ kind: "sessions", ids: [id] }}
          close={() => {
            isOpen.value = false;
            scores.again();
          }}
        />
      )}
    </main>
  );
};
