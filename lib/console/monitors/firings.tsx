import type { Firing, MonitorResponse } from "../../client/interface.ts";
import { hrefTo } from "../route.ts";
import { shortTime } from "../format.ts";
import { LocalTime } from "../parts/labels.tsx";

const signs = { RUN: ["✓", "good"], SKIPPED_UNCHANGED: ["–", "plain"], FAILED: ["✕", "bad"] } as const;

const outcomeTexts = { RUN: "started a run", SKIPPED_UNCHANGED: "skipped", FAILED: "failed" } as const;

/** Last firings of a monitor with their outcomes, and the reason of the last one that was skipped or failed. */
export const FiringList = ({
  monitor,
  firings,
}: {
  readonly monitor: MonitorResponse;
  readonly firings: readonly Firing[];
}) => {
  const last = firings.find(({ reason }) => reason !== null);
  if (firings.length === 0) return <p class="faint">Not fired yet.</p>;
  return (
    <>
      <ol class="firings" aria-label="Last firings, oldest first">
        {firings.toReversed().map(({ scheduled_at: at, outcome, reason, run_id: run }) => {
          const [sign, tone] = signs[outcome];
          const title = `${shortTime(at)}: ${outcomeTexts[outcome]}${reason === null ? "" : `, ${reason}`}`;
          return (
            <li class={tone} title={title} key={at}>
              {run === null ? (
                <span>
                  <span aria-hidden="true">{sign}</span>
                  <span class="unseen">{title}</span>
                </span>
              ) : (
                <a href={hrefTo(monitor.target_type === "TRACE" ? "runs" : "session-runs", run)} aria-label={title}>
                  {sign}
                </a>
              )}
            </li>
          );
        })}
      </ol>
      {last !== undefined && (
        <p class="faint" dir="auto">
          <LocalTime at={last.scheduled_at} /> {outcomeTexts[last.outcome]}: {last.reason}
        </p>
      )}
    </>
  );
};
