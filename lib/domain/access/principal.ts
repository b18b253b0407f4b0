import type { ProjectSettings } from "./fields.ts";

/**
 * The verified sender of a request: an API key acts for its organization, a user for every organization the user is a
 * member of.
 */
export type Principal =
  | { readonly kind: "key"; readonly keyId: string; readonly organizationId: string }
  | { readonly kind: "user"; readonly userId: string };

/** The operator of the deployment, who acts with AWS credentials: a user in the audit log and in receipts of deletions. */
export const operator = { kind: "user", userId: "00000000-0000-8000-8000-000000000000" } as const satisfies Principal;

export interface Project {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
}

/** A project with the settings that ingest needs. */
export type IngestProject = Project & Pick<ProjectSettings, "metadata_keys" | "masking">;

/** Returns the user id of a caller; null for an API key, which does not belong to a user. */
export const userIdOf = (principal: Principal): string | null => (principal.kind === "user" ? principal.userId : null);
