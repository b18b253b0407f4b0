import { useMemo } from "preact/hooks";
import { ScoreSection } from "../dashboard/score-section.tsx";
import { timeWindowOf } from "../dashboard/time-window.ts";
import { UsageSection } from "../dashboard/usage-section.tsx";
import { WindowSelect } from "../dashboard/window-select.tsx";
import { route } from "../route.ts";

const hour = 3_600_000;

/** Page with cost, tokens, latency, failures and scores over a window of time. */
export const DashboardPage = () => {
  const { range, started_after, started_before } = route.value.query;
  // The window moves with the hour, not with each render.
  const { window, problem } = useMemo(() => {
    try {
      return { window: timeWindowOf(route.value.query, Date.now()), problem: null };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { window: null, problem: error.message };
    }
  }, [range, started_after, started_before, Math.floor(Date.now() / hour)]);
  return (
    <main class="dashboard">
      <h1 class="unseen">Dashboard</h1>
      <WindowSelect window={window} />
      {window === null ? (
        <p class="bad" role="alert">
          {problem}
        </p>
      ) : (
        <>
          <UsageSection window={window} />
          <ScoreSection window={window} />
        </>
      )}
    </main>
  );
};
