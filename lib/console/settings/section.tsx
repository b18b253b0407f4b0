import type { ComponentChildren } from "preact";
import type { OrganizationWithRole } from "../../client/interface.ts";
import type { LoadState } from "../use-load.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";

/** Props of a settings section for one organization. */
export interface OrganizationProps {
  readonly organization: OrganizationWithRole;
}

/** Section of the settings page: a title, a list with its loading, error and empty states, and a form below. */
export const Section = <Item extends { readonly id: string }>({
  title,
  list,
  emptyText,
  item,
  children,
}: {
  readonly title: string;
  readonly list: LoadState<readonly Item[]>;
  /** Text for an empty list. */
  readonly emptyText: string;
  readonly item: (entry: Item) => ComponentChildren;
  readonly children?: ComponentChildren;
}) => (
  <section class="settings" aria-label={title} aria-busy={list.isLoading}>
    <h2>{title}</h2>
    <ErrorAlert {...list} />
    {list.value === null && list.error === null && <LoadingNote>Loading</LoadingNote>}
    {list.value?.length === 0 && <p class="faint">{emptyText}</p>}
    {list.value !== null && list.value.length > 0 && (
      <ul class="entries">
        {list.value.map((entry) => (
          <li key={entry.id}>{item(entry)}</li>
        ))}
      </ul>
    )}
    {children}
  </section>
);
