import { useMemo } from "preact/hooks";
import type { SessionScore } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { Instant } from "../parts/instant.tsx";
import { Status } from "../parts/status.tsx";
import { Transcript } from "../parts/transcript.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { goTo, hrefTo } from "../place.ts";
import { client } from "../sign-in.ts";
import { transcriptOf } from "../trace/transcript.ts";
import { count, dollars, plural } from "../words.ts";

/** Traces shown of a session: the newest are reached from the list of traces. */
const most = 20;

const Score = ({ score }: { readonly score: SessionScore }) => (
  <article class="verdict">
    <header>
      <h3>{score.name.replaceAll("_", " ")}</h3>
      <b class="value">{score.status === "FAILED" ? "no score" : (score.value ?? "…")}</b>
    </header>
    {score.stale === true && <p class="faint">Its traces have changed since.</p>}
    {score.reason !== null && (
      <p class="reason" dir="auto">
        {score.reason}
      </p>
    )}
    {score.signals !== null && score.signals.length > 0 && (
      <details>
        <summary>{plural(score.signals.length, "score")} made it</summary>
        <ul class="quotes">
          {score.signals.slice(0, 200).map((signal) => (
            <li>
              <a href={hrefTo("traces", signal.trace_id)}>
                {signal.name.replaceAll("_", " ")} {signal.value}
              </a>{" "}
              <span class="faint">{signal.model ?? signal.source.toLowerCase()}</span>
            </li>
          ))}
        </ul>
      </details>
    )}
    <p class="facts">
      <span dir="auto">by {score.judge?.model ?? score.source.toLowerCase()}</span>
      <Instant at={score.updated_at} />
    </p>
  </article>
);

/** Did the conversation work? */
export const SessionPage = ({ id }: { readonly id: string }) => {
  const {
    value: session,
    error,
    again,
  } = useLoad(
    (signal) => client.value.getSession({ path: { session_id: id }, query: { limit: most } }, { signal }),
    [id],
  );
  const scores = useLoad((signal) => client.value.getSessionScores({ path: { score_id: id } }, { signal }), [id]);
  const traces = useMemo(
    () =>
      (session?.traces ?? [])
        .toSorted((one, other) => one.started_at.localeCompare(other.started_at))
        .map((trace) => ({ trace, turns: transcriptOf(trace) })),
    [session],
  );
  if (session === null)
    return (
      <main aria-busy={error === null}>
        {error === null ? <p class="faint">Loading the session …</p> : <Trouble error={error} again={again} />}
      </main>
    );
  return (
    <main>
      <p>
        <a href={hrefTo("traces", null, { session_id: id })}>← Its traces</a>
      </p>
      <h1 dir="auto">{id}</h1>
      <p class="facts">
        <span>{plural(session.trace_count, "trace")}</span>
        <Instant at={session.first_trace_at} />
        {session.has_error && <span class="bad">an error</span>}
        {session.total_tokens > 0 && <span>{count(session.total_tokens)} tokens</span>}
        {session.total_cost > 0 && <span>{dollars(session.total_cost)}</span>}
        {session.user_id !== null && <span dir="auto">{session.user_id}</span>}
      </p>
      <div class="columns">
        <section class="what" aria-label="What was said">
          {traces.map(({ trace, turns }) => (
            <section aria-label={trace.name} key={trace.trace_id}>
              <h2>
                <Status of={trace.status} isShort />{" "}
                <a href={hrefTo("traces", trace.trace_id)} dir="auto">
                  {trace.name}
                </a>{" "}
                <span class="faint">
                  <Instant at={trace.started_at} />
                </span>
              </h2>
              <Transcript
                turns={turns}
                chosen={null}
                choose={(span) => goTo(hrefTo("traces", trace.trace_id, { span }))}
              />
            </section>
          ))}
          {session.trace_count > traces.length && (
            <p>
              <a href={hrefTo("traces", null, { session_id: id })}>All {plural(session.trace_count, "trace")}</a>
            </p>
          )}
        </section>
        <section class="why" aria-label="Verdicts">
          <h2>Verdicts</h2>
          {scores.error !== null && <Trouble error={scores.error} again={scores.again} />}
          {scores.value?.length === 0 && <p class="faint">Nobody has judged this session yet.</p>}
          {(scores.value ?? []).map((score) => (
            <Score key={score.id} score={score} />
          ))}
        </section>
      </div>
    </main>
  );
};
