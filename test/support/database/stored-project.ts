import { randomUUID } from "node:crypto";
import { projectFields } from "../../../lib/domain/access/fields.ts";
import type { IngestProject } from "../../../lib/domain/access/principal.ts";
import { noMasking } from "../../../lib/domain/masking/rules.ts";
import { defaultsOf } from "../../../lib/domain/fields.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { accessItems } from "../../../lib/store/access/items.ts";
import { projectItems } from "../../../lib/store/access/project-writes.ts";

/** Stores a project with the default settings, named by its id, in an organization that is not stored. */
export const storedProject = async (database: Database, id: string): Promise<IngestProject> => {
  const project = { id, organizationId: randomUUID(), name: id, metadata_keys: [], masking: noMasking };
  await accessItems(database).write(projectItems({ ...defaultsOf(projectFields), ...project, createdAt: "" }));
  return project;
};
