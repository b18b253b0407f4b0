import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { plural } from "../format.ts";
import { updateQuery } from "../route.ts";
import { readValues } from "../traces/suggestions.tsx";
import { useLoad } from "../use-load.ts";
import type { ListQuery } from "./list-kind.ts";

/** Groups of the list's traces with equal errors, the largest first; a click filters by the error. */
export const ErrorGroups = ({ filters }: { readonly filters: ListQuery }) => {
  const { first_error: chosen, ...otherFilters } = filters;
  const { value, error, reload } = useLoad(
    (signal) => readValues("first_error", filters, signal),
    [JSON.stringify(otherFilters)],
  );
  return (
    <div class="panel" role="group" aria-label="Errors">
      <ErrorAlert error={error} reload={reload} />
      {value === null && error === null && <LoadingNote>Counting errors</LoadingNote>}
      {value?.length === 0 && <span class="faint">No trace of this list has a span with an error message.</span>}
      {value?.map(({ value: text, trace_count: traces }) => (
        <button
          type="button"
          class="chip"
          key={text}
          title={text}
          aria-pressed={text === chosen}
          onClick={() => updateQuery({ first_error: text === chosen ? null : text })}
        >
          <b>{plural(traces, "trace")}</b> <span dir="auto">{text}</span>
        </button>
      ))}
      {value !== null && value.length > 0 && (
        <span class="faint">By the message of the span that failed first in a trace.</span>
      )}
    </div>
  );
};
