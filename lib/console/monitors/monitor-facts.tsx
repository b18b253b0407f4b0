import type { MonitorResponse } from "../../client/interface.ts";

/** Which targets a run of a monitor judges: kind, filters, sample and scope. */
export const MonitorTargets = ({ monitor }: { readonly monitor: MonitorResponse }) => (
  <>
    <span>{monitor.target_type === "TRACE" ? "traces" : "sessions"}</span>
    {Object.entries(monitor.filters).map(([name, value]) => (
      <span class="tag" dir="auto">
        {name.replaceAll("_", " ")} {typeof value === "string" ? value : JSON.stringify(value)}
      </span>
    ))}
    {monitor.sampling_rate < 1 && <span>{Number((monitor.sampling_rate * 100).toPrecision(12))} % at random</span>}
    {monitor.scope === "changed" && <span class="faint">only new or changed</span>}
  </>
);
