import { projectInParent, projectNamed, type ProjectReference } from "../domain/access/project-reference.ts";
import type { Json, JsonObject } from "../domain/json.ts";

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** Returns the project that attributes of a span, a log record or a resource name: LangSmith's or Braintrust's; null without any. */
export const projectIn = (attributes: JsonObject): ProjectReference | null =>
  projectNamed(textOf(attributes["langsmith.trace.session_name"])) ??
  projectInParent(textOf(attributes["braintrust.parent"]));
