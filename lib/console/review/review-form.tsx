import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Operations, ScoreEdit, TraceScore } from "../../client/interface.ts";
import { isText, useDraft } from "../draft.ts";
import { useAction } from "../parts/action.tsx";
import { lazyPart } from "../parts/lazy.tsx";
import { client } from "../sign-in.ts";
import { CorrectionForm, opposite } from "./correction-form.tsx";

/** True if a person can agree or disagree: a successful score of a judge, not categorical and not yet reviewed. */
export const isReviewable = ({ source, status, data_type: type }: TraceScore): boolean =>
  source === "AUTOMATED" && status === "SUCCESS" && type !== "CATEGORICAL";

const ScoreConflict = lazyPart(async () => (await import("./people.tsx")).ScoreConflict);

/** Change that was not stored, because the score is no longer as it was shown. */
interface Conflict {
  readonly body: ScoreEdit;
  readonly current: Operations["getScore"]["reply"];
}

/** Last shortcut for a review, and the number of shortcuts so far. */
export interface ReviewKey {
  readonly key: "agree" | "disagree" | null;
  readonly times: number;
}

/** Buttons to agree with a judge's score or to correct it, with the form of the correction. */
export const ReviewForm = ({
  score,
  onChange,
  isActive,
  lastKey,
}: {
  readonly score: TraceScore;
  readonly onChange: () => void;
  /** True if shortcuts apply to this score. */
  readonly isActive: boolean;
  readonly lastKey: ReviewKey;
}) => {
  const { value: reason } = useDraft(`reason ${score.id}`, "", isText);
  const { value: rightValue } = useDraft(`value ${score.id}`, opposite(score), isText);
  const isOpen = useSignal(reason.peek() !== "" || rightValue.peek() !== opposite(score));
  const conflict = useSignal<Conflict | null>(null);
  const { perform, isBusy, errorAlert } = useAction();
  const canReview = isReviewable(score);
  // A stored correction is never offered to be reversed by the words that a reload has kept.
  const isCorrecting = canReview && isOpen.value;
  const unsentWords = canReview || reason.value.trim() === (score.reason ?? "") ? "" : reason.value.trim();
  useEffect(() => {
    if (!canReview && unsentWords === "") reason.value = "";
  }, [canReview, unsentWords]);
  const finish = (): void => {
    [isOpen.value, reason.value, rightValue.value, conflict.value] = [false, "", opposite(score), null];
    onChange();
  };
  /** Stores a change of the score, unless somebody has changed it since it was as the user has seen it. */
  const store = (body: ScoreEdit, seenAt: string): Promise<void> =>
    perform(async () => {
      const path = { score_id: score.id };
      const current = await client.value.getScore({ path });
      conflict.value = current.updated_at === seenAt ? null : { body, current };
      if (conflict.value !== null) return;
      await client.value.updateTraceScore({ path, body });
      finish();
    });
  /** Stores a correction, or without a value that the score is right. */
  const review = (value: string | null): Promise<void> => {
    const text = reason.value.trim();
    return store(value === null ? {} : { value, ...(text === "" ? {} : { reason: text }) }, score.updated_at);
  };
  useEffect(() => {
    if (!isActive || !canReview || lastKey.key === null) return;
    if (lastKey.key === "disagree") isOpen.value = true;
    else if (!isOpen.value) void review(null);
  }, [lastKey]);
  const { body, current } = conflict.value ?? {};
  return (
    <>
      {unsentWords !== "" && (
        <p class="faint" dir="auto">
          Not sent, as somebody has decided meanwhile: {unsentWords}
        </p>
      )}
      {canReview && !isCorrecting && (
        <p class="buttons writes">
          <button type="button" disabled={isBusy} onClick={() => void review(null)}>
            Agree {isActive && <kbd>a</kbd>}
          </button>
          <button type="button" onClick={() => (isOpen.value = true)}>
            Disagree … {isActive && <kbd>d</kbd>}
          </button>
        </p>
      )}
      {isCorrecting && (
        <CorrectionForm
          score={score}
          value={rightValue}
          reason={reason}
          isBusy={isBusy}
          onCorrect={review}
          onCancel={() => (isOpen.value = false)}
        />
      )}
      {canReview && body !== undefined && current !== undefined && (
        <ScoreConflict
          before={score}
          current={current}
          value={String(body.value ?? score.value)}
          onKeep={finish}
          // Who agrees means the value that was shown.
          onReplace={() => void store({ ...body, value: body.value ?? score.value ?? "" }, current.updated_at)}
        />
      )}
      {errorAlert}
    </>
  );
};
