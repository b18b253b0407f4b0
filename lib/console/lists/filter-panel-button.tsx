import { ListFilter } from "lucide";
import { Icon } from "../display/icon.tsx";
import { lazyPart } from "../parts/lazy.tsx";
import { storedSignal } from "../stored-signal.ts";
import type { ListQuery } from "./list-kind.ts";

const FilterPanel = lazyPart(async () => (await import("./filter-panel.tsx")).FilterPanel);

/** True if the panel is shown, above each list, until it is closed; null before its first use, since an initial value is not stored. */
const isOpen = storedSignal<boolean | null>("assay.filter-panel", null, (stored) => typeof stored === "boolean");

/** Button that opens the panel with values to filter by, which stays open. */
export const FilterPanelButton = () => (
  <button
    type="button"
    class="quiet"
    aria-label="Filters"
    title="Filters"
    aria-expanded={isOpen.value === true}
    onClick={() => (isOpen.value = !isOpen.value)}
  >
    <Icon node={ListFilter} />
  </button>
);

/** The panel, while it is open. */
export const OpenFilterPanel = (props: {
  readonly filters: ListQuery;
  readonly fixed: Readonly<Record<string, string>>;
}) => (isOpen.value ? <FilterPanel {...props} /> : null);
