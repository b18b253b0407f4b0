import { projectInParent, projectNamed, type ProjectReference } from "../domain/access/project-reference.ts";
import { stringOrEmpty, type JsonObject } from "../domain/json.ts";

/** Returns the project that attributes of a span, a log record or a resource name: LangSmith's or Braintrust's; null without any. */
export const projectIn = (attributes: JsonObject): ProjectReference | null =>
  projectNamed(stringOrEmpty(attributes["langsmith.trace.session_name"])) ??
  projectInParent(stringOrEmpty(attributes["braintrust.parent"]));
