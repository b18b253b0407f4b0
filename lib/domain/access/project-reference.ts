import { canonicalUuid, uuidPattern } from "../text.ts";

/** Project as telemetry refers to it: by its name or by its id. */
export type ProjectReference =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "id"; readonly id: string };

/** Project of telemetry that names none. */
export const defaultProject: ProjectReference = { kind: "name", name: "default" };

/** Returns the reference to a project by its name; null for an empty name. */
export const projectNamed = (name: string): ProjectReference | null =>
  name.trim() === "" ? null : { kind: "name", name: name.trim() };

/** Parses a Braintrust parent: `project_name:NAME` or `project_id:UUID`; null for any other, such as an experiment. */
export const projectInParent = (parent: string): ProjectReference | null => {
  const at = parent.indexOf(":");
  const [kind, value] = [parent.slice(0, at), parent.slice(at + 1)];
  if (kind === "project_name") return projectNamed(value);
  return kind === "project_id" && uuidPattern.test(value) ? { kind: "id", id: canonicalUuid(value) } : null;
};
