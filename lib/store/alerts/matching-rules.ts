import { ruleCacheMilliseconds, type AlertRule } from "../../domain/alerts/rule.ts";
import { traceFilter, type TraceFilter, type TraceFilters } from "../../domain/traces/filter.ts";
import type { Database } from "../../dynamo/database.ts";
import { projectNames } from "../traces/facts/names.ts";
import { alertRules } from "./rules.ts";

/** A rule with its compiled filter. */
export interface CompiledRule {
  readonly rule: AlertRule;
  readonly filter: TraceFilter;
}

/** Max projects whose rules a worker remembers. */
const maxRemembered = 10_000;

/** Compiles the filters of a rule. @param names names of the models and tools of projects, see `projectNames`. */
export const compiledFilter = async (
  names: Pick<ReturnType<typeof projectNames>, "find">,
  project: string,
  filters: TraceFilters,
): Promise<TraceFilter> => traceFilter(filters, await names.find(project, filters));

/** Returns a function that reads the rules of a project that are not paused, at most once a minute. */
export const compiledRules = (database: Database, now: () => number = Date.now) => {
  const [rules, names] = [alertRules(database, now), projectNames(database)];
  const remembered = new Map<string, { readonly until: number; readonly rules: readonly CompiledRule[] }>();

  return async (project: string): Promise<readonly CompiledRule[]> => {
    const entry = remembered.get(project);
    if (entry !== undefined && entry.until > now()) return entry.rules;
    const until = now() + ruleCacheMilliseconds;
    const compiled = await Promise.all(
      (await rules.list(project))
        .filter(({ settings }) => settings.enabled)
        .map(async (rule) => ({ rule, filter: await compiledFilter(names, project, rule.settings.filters) })),
    );
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(project, { until, rules: compiled });
    return compiled;
  };
};

export type CompiledRules = ReturnType<typeof compiledRules>;
