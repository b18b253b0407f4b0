import type { Principal, Project } from "../../domain/access/principal.ts";
import { projectFields, type ProjectSettings } from "../../domain/access/fields.ts";
import { defaultsOf, valuesOfFields } from "../../domain/fields.ts";
import { ruleCount } from "../../domain/masking/rules.ts";
import { bodyHashAttribute, noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { ifAbsent, type Write } from "../../dynamo/items.ts";
import { storedForm } from "../../dynamo/stored-form.ts";
import { ifNotDeleted } from "./items.ts";
import { organizationKey, projectKey, projectNameKey } from "./keys.ts";
import { auditWrite, type AuditedAction } from "./audit-writes.ts";

/** A project with its management properties. */
export interface ManagedProject extends Project, ProjectSettings {
  readonly createdAt: string;
}

/** A project to be created; `createdBy` is null when the operator or a sign-in creates it. */
interface NewProject extends ManagedProject {
  readonly createdBy: Principal | null;
  /** Id of the user who created the API key that creates the project. */
  readonly keyMaker?: string | null;
  /** Replay of the request that creates the project, when it can be sent again. */
  readonly repeat?: IdempotencyCheck;
}

/**
 * Schema of the attributes with the settings that ingest needs, which the project's item and its name's item have; absent when they
 * were never set.
 */
export const ingestSettings = storedForm({
  metadata_keys: projectFields.metadata_keys,
  masking: projectFields.masking,
}).schema;

/** Returns the attributes with the settings that ingest needs; those without a value are left out. */
const ingestAttributes = ({ metadata_keys, masking }: Pick<ProjectSettings, "metadata_keys" | "masking">) => ({
  metadata_keys: metadata_keys.length === 0 ? undefined : metadata_keys,
  masking: ruleCount(masking) === 0 ? undefined : masking,
});

/** Form of a project's settings: attributes of its item. */
export const projectForm = storedForm(projectFields);

/** Writes of a new project: its name, whose write fails when the name is taken, and the project. */
export const projectItems = (project: Omit<NewProject, "createdBy">): readonly [Write, Write] => {
  const { id, organizationId, name, createdAt: created_at, repeat = noIdempotency } = project;
  const settings = ingestAttributes(project);
  return [
    // The project's item and its name's item both have the settings that ingest needs: requests with an API key read the
    // name's item, requests with a user's token read the project's item.
    { put: { ...projectNameKey(organizationId, name), project: id, created_at, ...settings }, when: ifAbsent },
    {
      put: {
        ...projectKey(id),
        organization: organizationId,
        ...projectForm.write(valuesOfFields(projectFields, project)),
        created_at,
        ...settings,
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
export const firstProject = {
  ...defaultsOf(projectFields),
  name: "onboarding",
  description: "Your onboarding project",
} as const;
