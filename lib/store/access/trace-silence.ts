import * as v from "valibot";
import { projectFields } from "../../domain/access/fields.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { isAlive } from "./items.ts";
import { projectKey } from "./keys.ts";

/** Milliseconds for which a project's setting is remembered. */
const rememberMilliseconds = 60_000;

/** Max remembered projects of a worker. */
const maxRemembered = 10_000;

const silenceItem = v.object({ trace_silence: v.optional(v.number(), projectFields.trace_silence.default) });

/**
 * Returns a function that reads the silence, in milliseconds, after which traces of a project without a top span end;
 * null if the project does not exist or is being deleted. A change counts within a minute.
 */
export const traceSilences = (database: Database, now: () => number = Date.now) => {
  const remembered = new Map<string, { readonly silence: number; readonly until: number }>();
  return async (project: string): Promise<number | null> => {
    const cached = remembered.get(project);
    if (cached !== undefined && cached.until > now()) return cached.silence;
    const [item] = await batchGet(database, "access", [projectKey(project)]);
    if (!isAlive(item)) return null;
    const silence = v.parse(silenceItem, item).trace_silence * 1000;
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(project, { silence, until: now() + rememberMilliseconds });
    return silence;
  };
};
