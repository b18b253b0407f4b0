import type { Route } from "../../lib/contract/route.ts";

/**
 * Divides `ingestConcurrency` equally among the functions that take data in; Lambda reserves for single functions only.
 *
 * @returns reserved concurrency by the id of the function's route; empty if nothing is reserved
 * @throws Error if there are more functions than executions: a function without any would be switched off.
 */
export const ingestShares = (routes: readonly Route[], total: number | undefined): ReadonlyMap<string, number> => {
  if (total === undefined) return new Map();
  const ingestRoutes = routes.filter(
    ({ permission, answeredBy }) => permission === "ingest" && answeredBy === undefined,
  );
  const share = Math.floor(total / ingestRoutes.length);
  if (share === 0)
    throw new Error(
      `The setting ingestConcurrency is ${total}, below the ${ingestRoutes.length} functions that share it.`,
    );
  return new Map(ingestRoutes.map(({ id }, at) => [id, share + (at < total % ingestRoutes.length ? 1 : 0)]));
};
