import { useMemo } from "preact/hooks";
import { ScoreSection } from "../dashboard/score-section.tsx";
import { UsageSection } from "../dashboard/usage-section.tsx";
import { Switch, titlesByName } from "../parts/controls.tsx";
import { TimePicker } from "../parts/time-picker.tsx";
import { dashboardRanges, dashboardWindowOf } from "../parts/time-window.ts";
import { route } from "../route.ts";

const hour = 3_600_000;

/** Page with cost, tokens, latency, failures and scores over a window of time. */
export const DashboardPage = () => {
  const { range, started_after, started_before } = route.value.query;
  // The window moves with the hour, not with each render.
  const { window, problem } = useMemo(() => {
    try {
      return { window: dashboardWindowOf(route.value.query, Date.now()), problem: null };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { window: null, problem: error.message };
    }
  }, [range, started_after, started_before, Math.floor(Date.now() / hour)]);
  return (
    <main class="dashboard">
      <div class="filters">
        <h1>Dashboard</h1>
        <TimePicker
          label="Window of time"
          control={Switch}
          options={{ ...titlesByName(dashboardRanges), custom: "Custom …" }}
          fallback="24h"
          boundsOf={() =>
            window === null ? {} : { started_after: window.started_after, started_before: window.started_before }
          }
        />
      </div>
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
