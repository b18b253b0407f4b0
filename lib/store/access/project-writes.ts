import * as v from "valibot";
import type { IngestProject, Principal } from "../../domain/access/principal.ts";
import { bodyHashAttribute, noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { ifAbsent, type Write } from "../../dynamo/items.ts";
import { ifNotDeleted } from "./items.ts";
import { organizationKey, projectKey, projectNameKey } from "./keys.ts";
import { auditWrite, type AuditedAction } from "./audit-writes.ts";

/** A project to be created; `by` is null when the operator or a sign-in creates it. */
export interface NewProject extends IngestProject {
  readonly description: string;
  readonly createdAt: string;
  readonly createdBy: Principal | null;
  /** Id of the user who created the API key that creates the project. */
  readonly keyMaker?: string | null;
  /** Replay of the request that creates the project, when it can be sent again. */
  readonly repeat?: IdempotencyCheck;
}

/**
 * Schema of the attribute with a project's declared metadata keys, which the project's item and its name's item have;
 * absent when none was ever declared.
 */
export const metadataKeysOf = v.object({ metadata_keys: v.optional(v.array(v.string()), []) });

/** Writes of a new project: its name, whose write fails when the name is taken, and the project. */
export const projectItems = (project: Omit<NewProject, "createdBy">): readonly [Write, Write] => {
  const { id, organizationId, name, description, metadataKeys, createdAt: created_at } = project;
  const { repeat = noIdempotency } = project;
  const declaredKeys = metadataKeys.length > 0 && { metadata_keys: metadataKeys };
  return [
    // The project's item and its name's item both have the declared metadata keys: requests with an API key read the
    // name's item, requests with a user's token read the project's item.
    { put: { ...projectNameKey(organizationId, name), project: id, created_at, ...declaredKeys }, when: ifAbsent },
    {
      put: {
        ...projectKey(id),
        organization: organizationId,
        name,
        description,
        created_at,
        ...declaredKeys,
        ...bodyHashAttribute(repeat),
      },
      when: ifAbsent,
    },
  ];
};

/**
 * Writes that create a project in an existing organization. The first write fails when the name is taken, the second
 * when the id is taken, the third when the organization does not exist or has its maximum of projects.
 *
 * @param maxProjects max projects per organization.
 * @param now epoch milliseconds.
 */
export const projectCreationWrites = (project: NewProject, maxProjects: number, now: number): readonly Write[] => {
  const { id, organizationId, name, createdBy: creator, keyMaker = null } = project;
  const auditedAction: AuditedAction | false = creator !== null && {
    organizationId,
    actor: creator,
    action: "project.created",
    target: id,
    details: { name, ...(keyMaker !== null && { key_maker: keyMaker }) },
  };
  return [
    ...projectItems(project),
    {
      update: organizationKey(organizationId),
      change: "ADD projects :one",
      when: `${ifNotDeleted} AND (attribute_not_exists(projects) OR projects < :most)`,
      values: { ":one": 1, ":most": maxProjects },
    },
    ...(auditedAction === false ? [] : [auditWrite(auditedAction, now)]),
  ];
};

/** The project that a first sign-in and `POST /organizations` create. */
export const firstProject = { name: "onboarding", description: "Your onboarding project", metadataKeys: [] } as const;
