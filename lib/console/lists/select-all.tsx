import { CheckCheck } from "lucide";
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../display/icon.tsx";
import { count, plural } from "../format.ts";
import { useAction } from "../parts/action.tsx";
import { allPages, type PageReader } from "../all-pages.ts";

/** Most items that are selected at once. */
const maxSelected = 100_000;

/** Button that selects all items of a list, also those that are not loaded. */
export const SelectAll = <Item,>({
  noun,
  total,
  read,
  idOf,
  selection,
}: {
  readonly noun: string;
  readonly total: number;
  readonly read: PageReader<Item>;
  readonly idOf: (item: Item) => string;
  readonly selection: Signal<ReadonlyMap<string, unknown>>;
}) => {
  const [progress, stop] = [useSignal(0), useRef(new AbortController())];
  const { perform, isBusy, outcome } = useAction();
  useEffect(() => () => stop.current.abort(), []);
  const select = () =>
    perform(async () => {
      const { signal } = (stop.current = new AbortController());
      // Meanwhile nothing can be done to a part of what is wanted.
      selection.value = new Map();
      const ids = new Set<string>();
      for await (const { items } of allPages(read, signal)) {
        for (const item of items) ids.add(idOf(item));
        progress.value = ids.size;
        if (ids.size >= maxSelected) break;
      }
      if (signal.aborted) return "";
      selection.value = new Map([...ids].slice(0, maxSelected).map((id) => [id, null]));
      return ids.size >= maxSelected ? `Only the first ${plural(maxSelected, noun)} are selected.` : "";
    });
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label="Select all"
        title="Select all"
        disabled={isBusy || selection.value.size >= total}
        onClick={() => void select()}
      >
        <Icon node={CheckCheck} />
      </button>
      {isBusy && <span class="faint">Selecting {count(progress.value)} …</span>}
      {outcome}
    </>
  );
};
