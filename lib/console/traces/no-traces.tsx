import { useEffect } from "preact/hooks";
import { navigate, hrefTo } from "../route.ts";

/** Empty state of the trace list: a button that removes the filters; a project without traces opens the page of the first run. */
export const NoTraces = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  useEffect(() => {
    if (!isFiltered) location.replace(hrefTo("start"));
  }, [isFiltered]);
  return (
    <div class="empty">
      <p>{isFiltered ? "No traces match these filters." : "This project has no traces yet."}</p>
      {isFiltered ? (
        <button type="button" onClick={() => navigate(hrefTo("traces"))}>
          Show all traces
        </button>
      ) : (
        <a class="button main" href={hrefTo("start")}>
          Send the first trace
        </a>
      )}
    </div>
  );
};
