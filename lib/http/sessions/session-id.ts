import { invalid } from "../../domain/refusal.ts";

/** Path parameters of a route about one session. */
interface SessionPath {
  readonly session_id: string;
}

/** Path placeholder that means: the session id is in the query. */
const inQuery = "-";

/**
 * Returns the session id of a request: from the path, or from the query parameter `id` if the path has `-`.
 *
 * @throws Refusal `invalid` when both path and query name a session.
 */
export const sessionIdOf = (params: SessionPath, query: { readonly id?: string | undefined }): string => {
  if (query.id === undefined) return params.session_id;
  if (params.session_id === inQuery) return query.id;
  throw invalid(["query", "id"], "The path names a session: give its id there or, with - in the path, here");
};
