import type { ExistingProjects } from "../../../lib/store/access/existing-projects.ts";

/** Reports every project as existing, for stream functions in tests without project deletions. */
export const withoutDeletions: ExistingProjects = async (projects) => new Set(projects);
