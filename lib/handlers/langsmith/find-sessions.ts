import type { IngestProject } from "../../domain/access/principal.ts";
import { projectNamed } from "../../domain/access/project-reference.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Exchange, TelemetryCaller } from "../../http/exchange.ts";

const sessionOf = ({ id, name, organizationId }: IngestProject) => ({
  id,
  name,
  tenant_id: organizationId,
  reference_dataset_id: null,
});

/** Finds a project, which LangSmith calls a session, by its name; with an empty name that of runs which name none. */
export const sessionsNamed = async (
  name: string,
  { projectFor, warn }: Pick<TelemetryCaller, "projectFor"> & Pick<Exchange, "warn">,
): Promise<ReturnType<typeof sessionOf>[]> => {
  try {
    return [sessionOf(await projectFor(projectNamed(name)))];
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason.kind !== "not-found") throw error;
    warn("There is no such project: the first run that names it creates it.");
    return [];
  }
};
