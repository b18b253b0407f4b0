import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { OrganizationWithRole } from "../../client/interface.ts";
import type { LoadState } from "../use-load.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { DataTable, type TableColumn } from "../parts/wide-table.tsx";
import { route } from "../route.ts";

/** Props of a settings section for one organization. */
export interface OrganizationProps {
  readonly organization: OrganizationWithRole;
}

/** Frame of a section, which scrolls into view when the address names its title. */
export const SettingsPart = ({
  title,
  isBusy,
  isPending,
  children,
}: {
  readonly title: string;
  readonly isBusy: boolean;
  /** True until there is something to show: all sections appear at once, so that none moves another. */
  readonly isPending: boolean;
  readonly children: ComponentChildren;
}) => {
  const element = useRef<HTMLElement>(null);
  const isNamed = route.value.query["section"] === title;
  useEffect(() => {
    if (isNamed) element.current?.scrollIntoView();
  }, [isNamed, isPending]);
  return (
    <section class={isPending ? "settings pending" : "settings"} aria-label={title} aria-busy={isBusy} ref={element}>
      <h2>{title}</h2>
      {children}
    </section>
  );
};

/** Section of the settings page: a title, a table with its loading, error and empty states, and a form below. */
export const Section = <Item extends { readonly id: string }>({
  title,
  list,
  emptyText,
  columns,
  children,
}: {
  readonly title: string;
  readonly list: LoadState<readonly Item[]>;
  /** Text for an empty list. */
  readonly emptyText: string;
  readonly columns: readonly TableColumn<Item>[];
  readonly children?: ComponentChildren;
}) => (
  <SettingsPart title={title} isBusy={list.isLoading} isPending={list.value === null && list.error === null}>
    <ErrorAlert {...list} />
    {list.value === null && list.error === null && <LoadingNote>Loading</LoadingNote>}
    {list.value?.length === 0 && <p class="faint">{emptyText}</p>}
    <DataTable
      label={`${title}, table`}
      rows={list.value ?? []}
      columns={columns}
      keyOf={({ id }) => id}
      hasExport={false}
    />
    {children}
  </SettingsPart>
);
