import { useSignal } from "@preact/signals";
import { notice } from "../../sign-in.ts";
import { Trouble } from "../trouble.tsx";

/** What is done at a press: whether it goes on, and what became of it. */
export const useAct = () => {
  const [error, said, isBusy] = [useSignal<unknown>(null), useSignal<string | null>(null), useSignal(false)];
  const last = useSignal<(() => Promise<string | null>) | null>(null);
  /** @param work what is done; what it answers is told to the reader. */
  const act = async (work: () => Promise<string | null>): Promise<void> => {
    [error.value, said.value, isBusy.value, last.value] = [null, null, true, work];
    try {
      said.value = await work();
    } catch (thrown) {
      notice(thrown);
      error.value = thrown;
    }
    isBusy.value = false;
  };
  const again = (): void => {
    if (last.value !== null) void act(last.value);
  };
  return {
    act,
    isBusy: isBusy.value,
    told: (
      <>
        {error.value !== null && <Trouble error={error.value} again={again} />}
        <p role="status">{said}</p>
      </>
    ),
  };
};

/** A button that asks once more before it does what cannot be undone. */
export const Sure = ({
  label,
  question,
  act,
}: {
  readonly label: string;
  readonly question: string;
  readonly act: () => unknown;
}) => {
  const isAsked = useSignal(false);
  if (!isAsked.value)
    return (
      <button type="button" class="quiet" onClick={() => (isAsked.value = true)}>
        {label}
      </button>
    );
  return (
    <span class="buttons" role="group" aria-label={question}>
      {question}
      <button
        type="button"
        class="danger"
        ref={(button) => button?.focus()}
        onClick={() => {
          isAsked.value = false;
          act();
        }}
      >
        {label}
      </button>
      <button type="button" onClick={() => (isAsked.value = false)}>
        Keep
      </button>
    </span>
  );
};
