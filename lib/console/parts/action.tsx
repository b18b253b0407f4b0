import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { signOutIfUnauthorized } from "../sign-in.ts";
import { bindText, focusOnMount } from "./form-bindings.ts";
import { ErrorAlert } from "./error-alert.tsx";

/**
 * State of a user action such as a button press: pending or not, and its outcome. While it is pending, `perform` does nothing.
 *
 * @example
 * const { perform, isBusy, outcome } = useAction();
 * const remove = () => perform(async () => { await deleteItem(); return "Deleted."; });
 */
export const useAction = () => {
  const [error, message, isBusy] = [useSignal<unknown>(null), useSignal<string | null>(null), useSignal(false)];
  const lastWork = useSignal<(() => Promise<unknown>) | null>(null);
  /** Runs the action. @param work async function; a string that it returns is shown as the outcome. */
  const perform = async (work: () => Promise<unknown>): Promise<void> => {
    if (isBusy.peek()) return;
    [error.value, message.value, isBusy.value, lastWork.value] = [null, null, true, work];
    try {
      const answer = await work();
      if (typeof answer === "string") message.value = answer;
    } catch (thrown) {
      signOutIfUnauthorized(thrown);
      error.value = thrown;
    }
    isBusy.value = false;
  };
  const retry = (): void => {
    if (lastWork.value !== null) void perform(lastWork.value);
  };
  const errorAlert = <ErrorAlert error={error.value} reload={retry} isSeparate />;
  return {
    perform,
    isBusy: isBusy.value,
    /** Alert with the error and a retry button; empty after success. */
    errorAlert,
    /** Error alert and success message. */
    outcome: (
      <>
        {errorAlert}
        <p role="status">{message}</p>
      </>
    ),
  };
};

/** Button that asks for a confirmation before an action that cannot be undone. */
export const ConfirmButton = ({
  label,
  question,
  onConfirm,
  typed,
  children,
}: {
  readonly label: string;
  readonly question: string;
  readonly onConfirm: () => unknown;
  /** Text that has to be typed first. */
  readonly typed?: string;
  /** Choices beside the question. */
  readonly children?: ComponentChildren;
}) => {
  const [isConfirming, text] = [useSignal<boolean | null>(null), useSignal("")];
  if (!isConfirming.value)
    return (
      <button
        type="button"
        class="destructive"
        ref={isConfirming.value === null ? null : focusOnMount}
        onClick={() => (isConfirming.value = true)}
      >
        {label}
      </button>
    );
  return (
    <span class="buttons" role="group" aria-label={question}>
      {question}
      {typed !== undefined && <input {...bindText(text)} ref={focusOnMount} aria-label="Type it to confirm" />}
      <button
        type="button"
        class="danger"
        ref={typed === undefined ? focusOnMount : null}
        // The same characters may be composed in another way.
        disabled={typed !== undefined && text.value.normalize().trim() !== typed.normalize().trim()}
        onClick={() => {
          [isConfirming.value, text.value] = [false, ""];
          onConfirm();
        }}
      >
        {label}
      </button>
      <button type="button" onClick={() => (isConfirming.value = false)}>
        Cancel
      </button>
      {children}
    </span>
  );
};
