import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { LabelQueuePlace, LabelSet } from "../../client/interface.ts";
import { cannotTell } from "../../domain/labels/scale.ts";
import { useAction } from "../parts/action.tsx";
import { bindText, handleSubmit } from "../parts/form-bindings.ts";
import { useTimeUntil } from "../parts/notices.tsx";
import { useShortcuts } from "../shortcuts.ts";
import { client } from "../sign-in.ts";
import { choicesOf, hasNumberField, passingText } from "./scale.ts";

const digits = Array.from({ length: 10 }, (_, at) => String(at));

/** Values by metric and note of each item that the person left, by its id. */
export type Drafts = Map<string, { readonly labels: Readonly<Record<string, string>>; readonly note: string }>;

interface LabelFormProps {
  readonly set: LabelSet;
  readonly item: NonNullable<LabelQueuePlace["item"]>;
  readonly drafts: Drafts;
  /** True if the person has labelled the item before. */
  readonly isLabelled: boolean;
  /** Leads on to the next item. */
  readonly onNext: () => void;
  /** Called when the labels are stored. */
  readonly onSaved: () => void;
  /** Buttons that lead to other items. */
  readonly children: ComponentChildren;
}

/** Values and note of an item of a label set, which work by keys, too: those of the scale apply to the active metric. */
export const LabelForm = ({ set, item, drafts, isLabelled, onNext, onSaved, children }: LabelFormProps) => {
  const { id: set_id, metrics } = set;
  const draft = drafts.get(item.id);
  const [labels, active, note] = [useSignal(draft?.labels ?? {}), useSignal(0), useSignal(draft?.note ?? "")];
  useEffect(() => () => void drafts.set(item.id, { labels: labels.value, note: note.value }), []);
  const isLate = useTimeUntil(Date.parse(item.leased_until)) === null && !isLabelled;
  const { perform, isBusy, outcome } = useAction();
  const choices = metrics.map(({ scale }) => choicesOf(scale));
  const choose = (at: number, value: string): void => {
    labels.value = { ...labels.value, [metrics[at]?.name ?? ""]: value };
  };
  const press = (key: string) => () => {
    const choice = choices[active.value]?.find(
      (each) => each.key === key || (key === "c" && each.value === cannotTell),
    );
    if (choice === undefined) return;
    choose(active.value, choice.value);
    active.value = Math.min(active.value + 1, metrics.length - 1);
  };
  const save = () =>
    perform(async () => {
      const open = metrics.findIndex(({ name }) => !labels.value[name]);
      if (open >= 0) {
        active.value = open;
        return `Choose a value of ${metrics[open]?.name.replaceAll("_", " ")}, or c if you cannot tell.`;
      }
      const body = { labels: labels.value, note: note.value.trim() === "" ? null : note.value };
      await client.value.putLabels({ path: { set_id, item_id: item.id }, body });
      return onSaved();
    });
  const focus = (selector: string) => document.querySelector<HTMLElement>(`.label-form ${selector}`)?.focus();
  useShortcuts({
    ...Object.fromEntries(digits.map((key) => [key, [press(key), "value of the scale"]] as const)),
    c: [press("c"), "cannot tell"],
    j: [() => (active.value = (active.value + 1) % metrics.length), "next metric"],
    n: [() => focus("[aria-label=Note]"), "note"],
    v: [() => focus(".on [type=number]"), "another number"],
    Enter: [save, "save and go on"],
  });
  return (
    <form class="label-form transcript" onSubmit={handleSubmit(save)}>
      {metrics.map(({ name, description, scale }, at) => (
        <fieldset key={name} class={`verdict ${at === active.value ? "on" : ""}`} onFocusIn={() => (active.value = at)}>
          <legend dir="auto">
            <b>{name.replaceAll("_", " ")}</b> <span class="faint">{passingText(scale)}</span>
          </legend>
          {description !== null && <p dir="auto">{description}</p>}
          {choices[at]?.map(({ key, value, title, passes }) => (
            <label class="choice" key={value}>
              <input
                type="radio"
                name={name}
                checked={labels.value[name] === value}
                onChange={() => choose(at, value)}
              />
              {key !== "" && <kbd>{key}</kbd>} <span dir="auto">{title}</span>
              {passes !== null && <span class="faint">{passes ? "passes" : "fails"}</span>}
            </label>
          ))}
          {hasNumberField(scale) && (
            <label class="choice">
              <kbd>v</kbd> {scale.min} to {scale.max}
              <input
                type="number"
                step="any"
                min={scale.min ?? undefined}
                max={scale.max ?? undefined}
                value={labels.value[name] === cannotTell ? "" : (labels.value[name] ?? "")}
                onInput={({ currentTarget: { value } }) => choose(at, value)}
              />
            </label>
          )}
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
      <div class="buttons">
        <button type="submit" class="main" disabled={isBusy}>
          Save and go on <kbd>Enter</kbd>
        </button>
        <button type="button" onClick={press("c")}>
          Cannot tell <kbd>c</kbd>
        </button>
        {children}
        {outcome}
      </div>
    </form>
  );
};
