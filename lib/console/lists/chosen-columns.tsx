import { Checkboxes } from "../parts/controls.tsx";
import { isPlainObject } from "../parts/is-object.ts";
import { RowHeightChoice } from "./row-height.tsx";
import { storedSignal } from "../stored-signal.ts";
import type { Column, ListKind } from "./list-kind.ts";

type Choices = Readonly<Record<string, readonly string[]>>;

const isChoices = (stored: unknown): stored is Choices =>
  isPlainObject(stored) && Object.values(stored).every((names) => Array.isArray(names));

/** Names of the columns that the user has chosen, by noun of the list; kept in this browser. */
const choices = storedSignal<Choices>("assay.columns", {}, isChoices);

const namesOf = <Item,>({ noun, columns }: ListKind<Item>): readonly string[] =>
  choices.value[noun] ?? Object.keys(columns).filter((name) => !columns[name]?.isExtra);

/** Returns the columns that the user has chosen, else the usual ones. The column with the items' links is always there. */
export const chosenColumns = <Item,>(kind: ListKind<Item>): readonly Column<Item>[] => {
  const names = namesOf(kind);
  return Object.entries(kind.columns).flatMap(([name, column]) =>
    names.includes(name) || column.class === "name" ? [column] : [],
  );
};

/** Checkboxes that choose the columns of a list. */
export const ColumnChoice = <Item,>({ kind }: { readonly kind: ListKind<Item> }) => {
  const setNames = (names: readonly string[] | undefined): void => {
    const { [kind.noun]: _, ...others } = choices.value;
    choices.value = names === undefined ? others : { ...others, [kind.noun]: names };
  };
  return (
    <div class="panel" role="group" aria-label="Columns">
      <Checkboxes
        titles={Object.entries(kind.columns).flatMap(([key, { title: label, class: name }]) =>
          name === "name" ? [] : [{ key, label }],
        )}
        selection={namesOf(kind)}
        onChange={setNames}
      />
      <button type="button" class="quiet" onClick={() => setNames(undefined)}>
        Usual columns
      </button>
      <RowHeightChoice />
      <span class="faint">Kept in this browser.</span>
    </div>
  );
};
