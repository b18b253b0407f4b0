import { useSignal } from "@preact/signals";
import type { LabelQueuePlace, LabelSet } from "../../client/interface.ts";
import { useAction } from "../parts/action.tsx";
import { bindText, handleSubmit } from "../parts/form-bindings.ts";
import { useTimeUntil } from "../parts/rate-limit-notice.tsx";
import { useShortcuts } from "../shortcuts.ts";
import { client } from "../sign-in.ts";
import { choicesOf, passingText } from "./scale.ts";

const digits = Array.from({ length: 9 }, (_, at) => String(at + 1));

interface LabelFormProps {
  readonly set: LabelSet;
  readonly item: NonNullable<LabelQueuePlace["item"]>;
  /** Leads on to the next item. */
  readonly onNext: () => void;
}

/** Values and note of an item of a label set, which work by keys, too: those of the scale apply to the active metric. */
export const LabelForm = ({ set: { id: set_id, metrics }, item, onNext }: LabelFormProps) => {
  const [labels, active, note] = [useSignal<Readonly<Record<string, string>>>({}), useSignal(0), useSignal("")];
  const isLate = useTimeUntil(Date.parse(item.leased_until)) === null;
  const { perform, isBusy, outcome } = useAction();
  const choices = metrics.map(({ scale }) => choicesOf(scale));
  const choose = (at: number, value: string): void => {
    labels.value = { ...labels.value, [metrics[at]?.name ?? ""]: value };
  };
  const press = (key: string) => () => {
    const choice = choices[active.value]?.find((each) => each.key === key);
    if (choice === undefined) return;
    choose(active.value, choice.value);
    active.value = Math.min(active.value + 1, metrics.length - 1);
  };
  const save = () =>
    perform(async () => {
      const open = metrics.findIndex(({ name }) => labels.value[name] === undefined);
      if (open >= 0) {
        active.value = open;
        return `Choose a value of ${metrics[open]?.name.replaceAll("_", " ")}, or 0 if you cannot tell.`;
      }
      const body = { labels: labels.value, note: note.value.trim() === "" ? null : note.value };
      await client.value.putLabels({ path: { set_id, item_id: item.id }, body });
      return onNext();
    });
  useShortcuts({
    ...Object.fromEntries(digits.map((key) => [key, [press(key), "value of the scale"]] as const)),
    0: [press("0"), "cannot tell"],
    c: [press("0"), "cannot tell"],
    j: [() => (active.value = (active.value + 1) % metrics.length), "next metric"],
    n: [() => document.querySelector<HTMLElement>(".label-form [aria-label=Note]")?.focus(), "note"],
    Enter: [save, "save and go on"],
  });
  return (
    <form class="label-form transcript" onSubmit={handleSubmit(save)}>
      {metrics.map(({ name, scale }, at) => (
        <fieldset key={name} class={`verdict ${at === active.value ? "on" : ""}`} onFocusIn={() => (active.value = at)}>
          <legend dir="auto">
            <b>{name.replaceAll("_", " ")}</b> <span class="faint">{passingText(scale)}</span>
          </legend>
          {choices[at]?.map(({ key, value, title }) => (
            <label class="choice" key={value}>
              <input
                type="radio"
                name={name}
                checked={labels.value[name] === value}
                onChange={() => choose(at, value)}
              />
              <kbd>{key}</kbd> <span dir="auto">{title}</span>
            </label>
          ))}
        </fieldset>
      ))}
      <input {...bindText(note)} aria-label="Note" placeholder="Note (n)" dir="auto" maxLength={4_000} />
      {isLate && (
        <p class="warn" role="status">
          Your ten minutes for this trace are over: labels still count while it has a place left.{" "}
          <button type="button" onClick={onNext}>
            Take the next one
          </button>
        </p>
      )}
      <button type="submit" class="main" disabled={isBusy}>
        Save and go on <kbd>Enter</kbd>
      </button>
      {outcome}
    </form>
  );
};
