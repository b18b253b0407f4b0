import { useSignal } from "@preact/signals";
import type { TraceListItem } from "../../client/interface.ts";
import { client, notice } from "../sign-in.ts";
import { plural } from "../words.ts";
import { Evaluate } from "../runs/evaluate.tsx";
import { Trouble } from "../parts/trouble.tsx";

/** What can be done with the traces that are selected. */
export const Selection = ({
  chosen,
  clear,
  changed,
}: {
  readonly chosen: readonly TraceListItem[];
  readonly clear: () => void;
  readonly changed: () => void;
}) => {
  const [tag, error, isOpen, isAsked] = [useSignal(""), useSignal<unknown>(null), useSignal(false), useSignal(false)];
  if (chosen.length === 0) return null;
  const ids = chosen.map(({ trace_id: id }) => id);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    error.value = null;
    try {
      await work();
      clear();
      changed();
    } catch (thrown) {
      notice(thrown);
      error.value = thrown;
    }
  };
  const addTag = () => act(() => client.value.tagTraces({ body: { trace_ids: ids, add_tags: [tag.value.trim()] } }));
  return (
    <div class="selection" role="region" aria-label="Selected traces">
      <b>{plural(chosen.length, "trace")} selected</b>
      <button type="button" class="main" onClick={() => (isOpen.value = true)}>
        Evaluate …
      </button>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void addTag();
        }}
      >
        <input
          aria-label="Tag"
          placeholder="Tag"
          required
          value={tag}
          onInput={({ currentTarget }) => (tag.value = currentTarget.value)}
        />
        <button type="submit">Tag</button>
      </form>
      {isAsked.value ? (
        <button
          type="button"
          class="danger"
          onClick={() => void act(() => client.value.deleteTraces({ body: { trace_ids: ids } }))}
        >
          Delete {plural(chosen.length, "trace")} and their scores for ever
        </button>
      ) : (
        <button type="button" onClick={() => (isAsked.value = true)}>
          Delete …
        </button>
      )}
      <button type="button" class="quiet" onClick={clear}>
        Clear
      </button>
      {error.value !== null && <Trouble error={error.value} again={() => (error.value = null)} />}
      {isOpen.value && <Evaluate targets={{ kind: "traces", ids }} close={() => (isOpen.value = false)} />}
    </div>
  );
};
