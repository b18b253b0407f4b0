import { invalid } from "../../domain/refusal.ts";

interface Named {
  readonly session_id: string;
}

/** What stands in a path in the place of an id that the query has. */
const elsewhere = "-";

/**
 * The id of the session that a request names: in its path, or in its query where the path has `-`.
 *
 * @throws Refusal `invalid` when both name one.
 */
export const namedSession = (params: Named, query: { readonly session_id?: string | undefined }): string => {
  if (query.session_id === undefined) return params.session_id;
  if (params.session_id === elsewhere) return query.session_id;
  throw invalid(["query", "session_id"], "The path names a session: give its id there or, with - in the path, here");
};
