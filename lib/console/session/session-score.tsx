import type { SessionScore, SessionScorePoint } from "../../client/interface.ts";
import { hrefTo } from "../place.ts";
import { plural, when } from "../words.ts";
import { Instant } from "../parts/instant.tsx";

/** Signals that are listed of many. */
const most = 200;

/** How a score of the session came to be what it is: its former values, the oldest first. */
const History = ({ points }: { readonly points: readonly SessionScorePoint[] }) => {
  if (points.length < 2) return null;
  return (
    <ol class="history" aria-label="Its values, the oldest first">
      {points.map(({ score, created_at: at, eval_run_id: run, status }) => {
        const told = `${when(at)}: ${status === "FAILED" ? "no score" : (score ?? "no number")}`;
        const bar = <span style={{ height: `${Math.max(4, Math.min(1, score ?? 0) * 100)}%` }} />;
        return (
          <li title={told} class={status === "FAILED" ? "bad" : ""}>
            {run === null ? (
              <span role="img" aria-label={told}>
                {bar}
              </span>
            ) : (
              <a href={hrefTo("session-runs", run)} aria-label={told}>
                {bar}
              </a>
            )}
          </li>
        );
      })}
    </ol>
  );
};

/** One score of a session, the scores of traces that made it, and what it was before. */
export const SessionVerdict = ({
  score,
  history,
}: {
  readonly score: SessionScore;
  readonly history: readonly SessionScorePoint[];
}) => {
  const signals = score.signals ?? [];
  return (
    <article class="verdict">
      <header>
        <h3 dir="auto">{score.name.replaceAll("_", " ")}</h3>
        <b class="value" dir="auto">
          {score.status === "FAILED" ? "no score" : (score.value ?? "…")}
        </b>
      </header>
      {score.applicable === false && <p class="faint">Does not apply: counts in no statistic.</p>}
      {score.stale === true && <p class="faint">Its traces have changed since.</p>}
      {score.reason !== null && (
        <p class="reason" dir="auto">
          {score.reason}
        </p>
      )}
      {signals.length > 0 && (
        <details>
          <summary>{plural(signals.length, "score")} made it</summary>
          <ul class="quotes">
            {signals.slice(0, most).map((signal) => (
              <li>
                <a href={hrefTo("traces", signal.trace_id)} dir="auto">
                  {signal.name.replaceAll("_", " ")} {Math.round(signal.value * 100) / 100}
                </a>{" "}
                <span class="faint" dir="auto">
                  {signal.model ?? signal.source.toLowerCase()}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <History points={history} />
      <p class="facts">
        <span dir="auto">by {score.judge?.model ?? score.source.toLowerCase()}</span>
        {score.judge !== null && <span>version {score.judge.version}</span>}
        <Instant at={score.updated_at} />
      </p>
    </article>
  );
};
