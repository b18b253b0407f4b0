import { useSignal, type Signal } from "@preact/signals";
import type { EvalRun } from "../../client/interface.ts";
import { Checkbox } from "../parts/controls.tsx";
import { ConfirmButton } from "../parts/action.tsx";
import { client } from "../sign-in.ts";
import { plural } from "../format.ts";
import { useLoad } from "../use-load.ts";
import { isFinished, type RunKind } from "./run-kind.ts";

/** Checkbox that says how many scores a run has. */
const ScoresChoice = ({
  run,
  kind,
  isChecked,
}: {
  readonly run: EvalRun;
  readonly kind: RunKind;
  readonly isChecked: Signal<boolean>;
}) => {
  const { value: total } = useLoad(
    async (signal) => {
      const input = { query: { eval_run_id: run.id, limit: 1 } };
      const scores = await (kind === "runs"
        ? client.value.listTraceScores(input, { signal })
        : client.value.listSessionScores(input, { signal }));
      return scores.total;
    },
    [run.id, kind],
    // A run that judges on gets more scores.
    isFinished(run) ? null : 2_000,
  );
  return (
    <Checkbox isChecked={isChecked.value} onChange={(isSelected) => (isChecked.value = isSelected)}>
      delete its {total === null || total === 0 ? "scores" : plural(total, "score")} too (otherwise they stay)
    </Checkbox>
  );
};

/** Button that deletes a run, and so stops one that has not ended: the service has no stop that keeps the run. */
export const DeleteRun = ({
  run,
  kind,
  remove,
}: {
  readonly run: EvalRun;
  readonly kind: RunKind;
  /** Called after the confirmation. */
  readonly remove: (withScores: boolean) => void;
}) => {
  const withScores = useSignal(false);
  const isEnded = isFinished(run);
  return (
    <ConfirmButton
      // The end of the run takes a question about its stop away.
      key={String(isEnded)}
      label={isEnded ? "Delete" : "Stop and delete"}
      question={
        isEnded
          ? "Delete this run? What it cost still counts."
          : "Stop this run and delete it? Judgements under way are paid for and give no score."
      }
      onConfirm={() => remove(withScores.value)}
    >
      <ScoresChoice run={run} kind={kind} isChecked={withScores} />
    </ConfirmButton>
  );
};
