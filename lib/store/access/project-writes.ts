import * as v from "valibot";
import type { CallersProject, Principal } from "../../domain/access/principal.ts";
import { keptHash, unrepeated, type Repeat } from "../../domain/repeat.ts";
import { absent, alive, type AccessWrite } from "./items.ts";
import { organizationKey, projectKey, projectNameKey } from "./keys.ts";
import { auditWrite } from "./audit-writes.ts";

/** A project that is made, and by whom; null: by the operator or by signing in. */
export interface NewProject extends CallersProject {
  readonly description: string;
  readonly createdAt: string;
  readonly by: Principal | null;
  /** The user who made the key by which it is made. */
  readonly keyMaker?: string | null;
  /** Of the request that makes it, where that can come again. */
  readonly repeat?: Repeat;
}

/** The attribute of a project and of its name that has the keys of metadata it declared; absent when it never did. */
export const metadataKeysOf = v.object({ metadata_keys: v.optional(v.array(v.string()), []) });

/** The items of a new project: its name, which is taken when the first write fails, and the project. */
export const projectItems = (project: Omit<NewProject, "by">): readonly [AccessWrite, AccessWrite] => {
  const { id, organizationId, name, description, metadataKeys, createdAt: created_at } = project;
  const { repeat = unrepeated } = project;
  const declared = metadataKeys.length > 0 && { metadata_keys: metadataKeys };
  return [
    // Both say what is declared: who writes with a key reads the name, who writes with a token the project.
    { put: { ...projectNameKey(organizationId, name), project: id, created_at, ...declared }, when: absent },
    {
      put: {
        ...projectKey(id),
        organization: organizationId,
        name,
        description,
        created_at,
        ...declared,
        ...keptHash(repeat),
      },
      when: absent,
    },
  ];
};

/**
 * Makes a project in an organization that is there. The first write fails when the name is taken, the second when the id
 * is, the third when the organization is gone or has as many projects as it may.
 *
 * @param most projects an organization may have.
 * @param now epoch milliseconds.
 */
export const makingProject = (project: NewProject, most: number, now: number): readonly AccessWrite[] => {
  const { id, organizationId, name, by, keyMaker = null } = project;
  const audited = by !== null && {
    organizationId,
    by,
    action: "project.created" as const,
    target: id,
    details: { name, ...(keyMaker !== null && { key_maker: keyMaker }) },
  };
  return [
    ...projectItems(project),
    {
      update: organizationKey(organizationId),
      change: "ADD projects :one",
      when: `${alive} AND (attribute_not_exists(projects) OR projects < :most)`,
      values: { ":one": 1, ":most": most },
    },
    ...(audited === false ? [] : [auditWrite(audited, now)]),
  ];
};

/** The project that signing in and `POST /organizations` make. */
export const firstProject = { name: "onboarding", description: "Your onboarding project", metadataKeys: [] } as const;
