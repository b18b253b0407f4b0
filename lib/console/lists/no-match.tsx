import { navigate, hrefTo, route } from "../route.ts";

/** Empty state of a list of sessions or users. @param nouns plural of what the list shows. */
export const NoMatch = ({
  nouns,
  field,
  isFiltered,
}: {
  readonly nouns: string;
  /** Field of a trace that the items come from. */
  readonly field: string;
  readonly isFiltered: boolean;
}) => {
  const { page, id, query } = route.value;
  return (
    <div class="empty">
      {isFiltered ? (
        <>
          <p>No {nouns} match these filters.</p>
          <button type="button" onClick={() => navigate(hrefTo(page, id, { view: query["view"] ?? null }))}>
            Show all {nouns}
          </button>
        </>
      ) : (
        <>
          {id === null ? (
            <p>
              No {nouns} yet: no trace has a <code>{field}</code>.
            </p>
          ) : (
            <p>No {nouns} of this user.</p>
          )}
          <a class="button" href={hrefTo("start")}>
            Send traces
          </a>
        </>
      )}
    </div>
  );
};
