import { nameFlaw } from "../../domain/access/names.ts";
import { defaultProject, type ProjectReference } from "../../domain/access/project-reference.ts";
import type { IngestProject } from "../../domain/access/principal.ts";
import { invalid, notFound, Refusal } from "../../domain/refusal.ts";
import type { Exchange, TelemetryCaller } from "../exchange.ts";
import type { CallerProjects } from "./caller-projects.ts";
import type { VerifiedKey } from "./principal-context.ts";

const noDefault =
  'The telemetry names no project, and there is no project "default", which this API key may not create. ' +
  "Name a project in X-Project-Name.";

/** Returns the function that resolves the projects which the telemetry of a request names. A project is read once in a request. */
export const telemetryProjects = (
  projects: CallerProjects,
  exchange: Exchange,
  key: VerifiedKey,
): TelemetryCaller["projectFor"] => {
  const { route } = exchange;
  const pending = new Map<string, Promise<IngestProject>>();

  const resolve = async (reference: ProjectReference): Promise<IngestProject> => {
    if (reference.kind === "id") return projects.ofKeyById(key, reference.id, route);
    const { name } = reference;
    const flaw = nameFlaw("The project's name", name);
    if (flaw !== null) throw invalid(["body"], flaw);
    // The rate limits have admitted the request by now.
    return projects.ofKey(key, name, route, Promise.resolve(), () => {
      exchange.hasCreatedProject = true;
    });
  };

  const resolveDefault = async (): Promise<IngestProject> => {
    try {
      return await resolve(defaultProject);
    } catch (error) {
      if (error instanceof Refusal && error.reason.kind === "not-found") throw notFound(noDefault);
      throw error;
    }
  };

  return (reference) => {
    const id = JSON.stringify(reference);
    const project = pending.get(id) ?? (reference === null ? resolveDefault() : resolve(reference));
    pending.set(id, project);
    return project;
  };
};
