import { useSignal } from "@preact/signals";
import type { MonitorResponse } from "../../client/interface.ts";
import { CeilingField } from "../runs/ceiling-field.tsx";
import { RunDialog } from "../runs/run-dialog.tsx";
import { ceilingText, parseCeiling } from "../runs/run-options.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { MonitorTargets } from "./monitor-facts.tsx";

/** Dialog that runs a monitor now, with the estimated cost and a ceiling before the start. */
export const RunMonitor = ({
  monitor,
  onStart,
  onClose,
}: {
  readonly monitor: MonitorResponse;
  readonly onStart: () => void;
  readonly onClose: () => void;
}) => {
  const { name, target_type: targetType, max_cost_usd: ownCeiling } = monitor;
  const path = { monitor_id: monitor.id };
  const typedCeiling = useSignal(ownCeiling === null ? null : String(ownCeiling));
  const estimate = useLoad(
    (signal) => client.value.triggerMonitor({ path, query: { dry_run: true } }, { signal }),
    [monitor.id],
  );
  const text = ceilingText(typedCeiling.value, estimate.value);
  const ceiling = parseCeiling(text);
  return (
    <RunDialog
      title={`Run ${name} now`}
      startLabel="Run now"
      target={targetType === "TRACE" ? "trace" : "session"}
      estimate={estimate}
      ceiling={ceiling}
      hasMetric
      start={async () => {
        const run = await client.value.triggerMonitor({
          path,
          query: ceiling === null ? {} : { max_cost_usd: ceiling },
        });
        onStart();
        return run;
      }}
      onClose={onClose}
    >
      <p class="facts">
        <span>{monitor.metric_names.join(", ").replaceAll("_", " ")}</span>
        <MonitorTargets monitor={monitor} />
        {monitor.model !== null && <span dir="auto">by {monitor.model}</span>}
        {monitor.judge !== null && (
          <span dir="auto">
            by {monitor.judge.first}, then {monitor.judge.escalate.to}
          </span>
        )}
      </p>
      <div class="fields">
        <CeilingField
          value={text}
          placeholder={ownCeiling === null ? "no ceiling" : `${ownCeiling}, the monitor's`}
          onInput={(typed) => (typedCeiling.value = typed)}
        />
      </div>
    </RunDialog>
  );
};
