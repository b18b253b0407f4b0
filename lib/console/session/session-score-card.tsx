import type { SessionScore, SessionScorePoint } from "../../client/interface.ts";
import { hrefTo } from "../route.ts";
import { plural, shortTime } from "../format.ts";
import { LocalTime, MetricVersionLink } from "../parts/labels.tsx";

/** Max trace scores listed as the origin of a session score. */
const maxSignals = 200;

/** Bars of a session score's values over time, oldest first; each links to its run. */
const ScoreHistory = ({ points }: { readonly points: readonly SessionScorePoint[] }) => {
  if (points.length < 2) return null;
  return (
    <ol class="history" aria-label="Values, oldest first">
      {points.map(({ score, created_at: at, eval_run_id: run, status }) => {
        const title = `${shortTime(at)}: ${status === "FAILED" ? "no score" : (score ?? "no number")}`;
        const bar = <span style={{ height: `${Math.max(4, Math.min(1, score ?? 0) * 100)}%` }} />;
        return (
          <li title={title} class={status === "FAILED" ? "bad" : ""}>
            {run === null ? (
              <span role="img" aria-label={title}>
                {bar}
              </span>
            ) : (
              <a href={hrefTo("session-runs", run)} aria-label={title}>
                {bar}
              </a>
            )}
          </li>
        );
      })}
    </ol>
  );
};

/** A metric's score of a session, with the trace scores it was computed from and its earlier values. */
export const SessionScoreCard = ({
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
      {score.applicable === false && <p class="faint">Not applicable: excluded from statistics.</p>}
      {score.stale === true && <p class="faint">The session has changed since it was judged.</p>}
      {score.reason !== null && (
        <p class="reason" dir="auto">
          {score.reason}
        </p>
      )}
      {signals.length > 0 && (
        <details>
          <summary>Computed from {plural(signals.length, "score")}</summary>
          <ul class="quotes">
            {signals.slice(0, maxSignals).map((signal) => (
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
      <ScoreHistory points={history} />
      <p class="facts">
        <span dir="auto">by {score.judge?.model ?? score.source.toLowerCase()}</span>
        {score.judge !== null && <span>version {score.judge.version}</span>}
        <MetricVersionLink score={score} />
        <LocalTime at={score.updated_at} />
      </p>
    </article>
  );
};
