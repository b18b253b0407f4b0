import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { findItems, type FoundItem } from "../find-item.ts";
import { bindText } from "../parts/form-bindings.ts";
import { hrefTo, navigate } from "../route.ts";
import { activeShortcuts } from "../shortcuts.ts";
import { canWrite, isLabeller } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";

/** What the palette offers: a page to open, or an action of the page below it. */
interface Choice {
  readonly title: string;
  readonly run: () => unknown;
}

/** Milliseconds after the last keystroke until an id is looked up. */
const typingPause = 250;

/** Pages that make something, which are in no navigation. */
const makers = [
  ["new-metric", "New metric"],
  ["new-alert", "New alert rule"],
  ["metric-gallery", "Metric gallery"],
  ["compare", "Compare"],
] as const;

const opening = ({ title, href }: FoundItem): Choice => ({ title, run: () => navigate(href) });

/** Dialog that opens pages and items by their names and ids, and runs the actions of the page below it. */
export const Palette = ({
  pages,
  early,
  onClose,
}: {
  readonly pages: readonly (readonly [page: string, title: string])[];
  /** What was typed before it could be shown. */
  readonly early: { readonly current: string };
  readonly onClose: () => void;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, index, id] = [useSignal(early.current), useSignal(0), useSignal("")];
  const listId = useId();
  const typed = text.value.trim();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    index.value = 0;
    const timer = setTimeout(() => (id.value = typed), typingPause);
    return () => clearTimeout(timer);
  }, [typed]);
  const lookup = useLoad(
    async (signal) => (!/^\S{3,}$/u.test(id.value) || isLabeller.value ? [] : await findItems(id.value, signal)),
    [id.value],
  );
  const actions = activeShortcuts.value
    .flatMap(({ current }) => Object.values(current))
    .filter(([, , writes]) => !writes || canWrite.value)
    .map(([run, title]): Choice => ({ title, run }));
  const links = [...pages, ...(canWrite.value ? makers : [])].map(([page, title]) =>
    opening({ title: `Go to ${title}`, href: hrefTo(page) }),
  );
  const words = typed.toLowerCase().split(/\s+/u);
  const named = [...new Map([...links, ...actions].map((each) => [each.title, each])).values()].filter(({ title }) =>
    words.every((word) => title.toLowerCase().includes(word)),
  );
  const choices: readonly Choice[] = [
    ...(id.value === typed ? (lookup.value ?? []).map(opening) : []),
    ...named,
    ...(typed === "" || isLabeller.value
      ? []
      : [opening({ title: `Search traces for ${typed}`, href: hrefTo("traces", null, { q: typed }) })]),
  ];
  const active = Math.min(index.value, choices.length - 1);
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    dialog.current?.close();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") choose(choices[active]);
    if (step !== undefined) index.value = (active + step + choices.length) % choices.length;
    if (step !== undefined || event.key === "Enter") event.preventDefault();
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Find">
      <input
        role="combobox"
        aria-label="Page, action or id"
        placeholder="Page, action or id"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={choices.length === 0 ? undefined : `${listId}-${active}`}
        autocomplete="off"
        {...bindText(text)}
        onKeyDown={onKeyDown}
      />
      <ul role="listbox" id={listId} aria-label="Matches" class="choices">
        {choices.map((choice, at) => (
          <li
            role="option"
            id={`${listId}-${at}`}
            aria-selected={at === active}
            class={at === active ? "row on" : "row"}
            dir="auto"
            ref={at === active ? (item) => item?.scrollIntoView({ block: "nearest" }) : null}
            onClick={() => choose(choice)}
          >
            {choice.title}
          </li>
        ))}
      </ul>
      <span class="faint" role="status">
        {lookup.isLoading || id.value !== typed ? "Looking up the id …" : ""}
      </span>
    </dialog>
  );
};
