import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLoad } from "../use-load.ts";
import { route } from "../route.ts";
import {
  ceilingText,
  parseCeiling,
  estimateRun,
  metricsFor,
  defaultRunOptions,
  startRun,
  type RunOptions,
  type RunTargets,
} from "./run-options.ts";
import { plural } from "../format.ts";
import { FilterChips } from "../traces/filter-chips.tsx";
import { RunDialog } from "./run-dialog.tsx";
import { RunOptionFields } from "./run-option-fields.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";

const titleOf = (targets: RunTargets): string => {
  if (targets.kind === "matching") return "Evaluate matching traces";
  return `Evaluate ${plural(targets.ids.length, targets.kind === "traces" ? "trace" : "session")}`;
};

/** Dialog that starts a run: metrics, judge and ceiling, with the estimated cost before the start. */
export const EvaluateDialog = ({
  targets,
  onClose,
}: {
  readonly targets: RunTargets;
  readonly onClose: () => void;
}) => {
  const options = useSignal<RunOptions>(defaultRunOptions);
  const metrics = useLoad((signal) => metricsFor(targets, signal), []);
  const names = metrics.value;
  // Selects the first metric if the default one does not exist for these targets.
  useEffect(() => {
    const first = names?.[0]?.name;
    if (first !== undefined && !names?.some(({ name }) => options.value.metrics.includes(name)))
      options.value = { ...options.value, metrics: [first] };
  }, [names]);
  const { query } = route.value;
  const hasMetric = options.value.metrics.length > 0;
  const isReady = names !== null && hasMetric;
  const estimate = useLoad(
    async (signal) => (isReady ? await estimateRun(targets, options.value, query, signal) : null),
    [isReady, JSON.stringify([targets, options.value, targets.kind === "matching" ? query : null])],
  );
  const ceiling = ceilingText(options.value.ceiling, estimate.value);
  return (
    <RunDialog
      title={titleOf(targets)}
      startLabel="Evaluate now"
      target={targets.kind === "sessions" ? "session" : "trace"}
      estimate={estimate}
      ceiling={parseCeiling(ceiling)}
      hasMetric={hasMetric}
      start={() => startRun(targets, { ...options.value, ceiling }, route.value.query)}
      onClose={onClose}
    >
      {targets.kind === "matching" && (
        <div class="filters">
          <FilterChips fixed={targets.fixed} />
        </div>
      )}
      <RunOptionFields
        metrics={names ?? []}
        options={options.value}
        onChange={(part) => (options.value = { ...options.value, ...part })}
        ceiling={ceiling}
        isSampled={targets.kind === "matching"}
        takesSecondJudge={targets.kind !== "sessions"}
      />
      <ErrorAlert {...metrics} />
    </RunDialog>
  );
};
