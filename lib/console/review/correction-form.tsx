import type { Signal } from "@preact/signals";
import type { TraceScore } from "../../client/interface.ts";
import { lazyPart } from "../parts/lazy.tsx";
import { bindText, focusOnMount, handleSubmit } from "../parts/form-bindings.ts";

/** Value of the opposite end of the scale, which a correction proposes. */
export const opposite = ({ data_type: type, value }: TraceScore): string => {
  if (type === "BOOLEAN") return value === "true" ? "false" : "true";
  return Number(value) >= 0.5 ? "0" : "1";
};

const ScaleField = lazyPart(async () => (await import("./scale-field.tsx")).ScaleField);

/** Form for the value that a score should have, on the metric's own scale, and for the reason. */
export const CorrectionForm = ({
  score,
  value,
  reason,
  isBusy,
  onCorrect,
  onCancel,
}: {
  readonly score: TraceScore;
  readonly value: Signal<string>;
  readonly reason: Signal<string>;
  readonly isBusy: boolean;
  readonly onCorrect: (value: string) => unknown;
  readonly onCancel: () => void;
}) => {
  const isNumber = score.data_type === "NUMERIC";
  return (
    <form
      onSubmit={handleSubmit(() => onCorrect(value.value))}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <label>It should be {isNumber ? <ScaleField score={score} value={value} /> : value.value}</label>
      <label>
        because <input {...bindText(reason)} ref={focusOnMount} />
      </label>
      <button type="submit" class="main" disabled={isBusy}>
        Correct it
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
};
