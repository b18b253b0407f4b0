import { useSignal } from "@preact/signals";
import { count } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { route, updateQuery } from "../route.ts";
import { client, storedProjectKeys } from "../sign-in.ts";
import { readValues } from "../traces/suggestions.tsx";
import { filterDefinitions, escapeListValue, metadataPrefix } from "../traces/trace-filters.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";
import type { ListQuery } from "./list-kind.ts";

/** Fields whose values the panel lists, and whether they are open at first. */
const fields = {
  name: true,
  model: true,
  tool: true,
  release: false,
  environment: false,
  tags: false,
  user_id: false,
  prompt_name: false,
  experiment: false,
  first_error: false,
} as const;

type Field = keyof typeof fields;

/** Values shown of a field, the most frequent ones; the API counts fifty. */
const maxValues = 12;

/** Values of a field with the number of the list's traces that have them; a click filters by one. */
const FieldValues = ({ field, filters }: { readonly field: Field; readonly filters: ListQuery }) => {
  // Analytics search no words.
  const { [field]: _, q: __, ...others } = filters;
  const { value, error, reload } = useLoad(
    (signal) => readValues(field, others, signal),
    [field, JSON.stringify(others)],
  );
  const chosen = route.value.query[field];
  const inUrl = (text: string): string => (field === "tags" ? escapeListValue(text) : text);
  const listed = (value ?? []).slice(0, maxValues).map(({ value: text, trace_count: traces }) => ({ text, traces }));
  // A value that is filtered by stays in sight, to remove it.
  const lost = chosen === undefined || listed.some(({ text }) => inUrl(text) === chosen) ? [] : [chosen];
  return (
    <>
      <ErrorAlert error={error} reload={reload} />
      {value?.length === 0 && <span class="faint">none</span>}
      {[...lost.map((text) => ({ text, traces: null })), ...listed].map(({ text, traces }) => (
        <button
          type="button"
          class="chip"
          key={text}
          title={text}
          aria-pressed={traces === null || inUrl(text) === chosen}
          onClick={() => updateQuery({ [field]: traces === null || inUrl(text) === chosen ? null : inUrl(text) })}
        >
          <span dir="auto">{text}</span> {traces !== null && <b>{count(traces)}</b>}
        </button>
      ))}
      {(value?.length ?? 0) > maxValues && <span class="faint">and others, by “+ Filter”</span>}
    </>
  );
};

/** Reads the metadata keys that the project declares as filters. */
const readKeys = async (signal: AbortSignal): Promise<readonly string[]> => {
  const keys = storedProjectKeys();
  const projects = await collect(client.value.each.listReachableProjects({ query: { limit: 100 } }, { signal }));
  return projects.find(({ id, name }) => keys.includes(id) || keys.includes(name))?.metadata_keys ?? [];
};

/** Fields for values of the metadata keys that the project declares. */
const MetadataFields = () => {
  const keys = useLoad(readKeys, []);
  return (
    <>
      <ErrorAlert {...keys} />
      {keys.value?.map((key) => (
        <label key={key}>
          {key}{" "}
          <input
            maxLength={128}
            placeholder="exact value"
            value={route.value.query[metadataPrefix + key] ?? ""}
            onChange={({ currentTarget }) => updateQuery({ [metadataPrefix + key]: currentTarget.value.trim() })}
          />
        </label>
      ))}
    </>
  );
};

/** Values of the fields of the list's traces, with their numbers: a click adds a filter, another one removes it. */
export const FilterPanel = ({
  filters,
  fixed,
}: {
  readonly filters: ListQuery;
  /** Filters of the page, which cannot be changed. */
  readonly fixed: Readonly<Record<string, string>>;
}) => {
  const open = useSignal<Readonly<Record<Field, boolean>>>(fields);
  return (
    <div class="panel" role="group" aria-label="Filters by value">
      {Object.keys(fields)
        .filter((field): field is Field => !Object.hasOwn(fixed, field))
        .map((field) => (
          <details
            key={field}
            open={open.value[field]}
            onToggle={({ currentTarget }) => (open.value = { ...open.value, [field]: currentTarget.open })}
          >
            <summary>{field === "name" ? "name" : filterDefinitions[field].title}</summary>
            {open.value[field] && <FieldValues field={field} filters={filters} />}
          </details>
        ))}
      <MetadataFields />
    </div>
  );
};
