import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { projectFields } from "../../domain/access/fields.ts";
import { definedFields, valuesOfFields, type ChangesOf } from "../../domain/fields.ts";
import { ifAbsent, type Item } from "../../dynamo/items.ts";
import { accessItems, ifNotDeleted } from "./items.ts";
import { organizationPartition, prefixes, projectKey, projectNameKey } from "./keys.ts";
import { orderedPage } from "./page.ts";
import { auditWrite } from "./audit-writes.ts";
import { tryAgain, withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import { projectCreationWrites, projectForm, type ManagedProject } from "./project-writes.ts";

/** Store of the projects of organizations. */
export interface Projects {
  /**
   * Creates a project.
   *
   * @param project a repeated request has the same id and gets the existing project.
   * @param maxProjects max projects of the organization.
   * @returns `taken` when another project has the name; `full` when the organization has its maximum of projects or
   *   does not exist.
   * @throws the refusals of `repeat.checkReplay`.
   */
  create(
    project: Omit<ManagedProject, "createdAt">,
    actorId: string,
    maxProjects: number,
    repeat?: IdempotencyCheck,
  ): Promise<ManagedProject | "taken" | "full">;
  /**
   * Reads a project of the organization; null when it does not exist, is deleted or belongs to another organization.
   */
  find(organizationId: string, id: string): Promise<ManagedProject | null>;
  /** Lists the organization's projects, newest first. */
  page(organizationId: string, at: PageRequest): Promise<Page<ManagedProject>>;
  /**
   * Changes the settings that are not undefined. The old name is free at once.
   *
   * @returns `taken` when another project has the name, null when the organization has no such project.
   */
  update(
    organizationId: string,
    id: string,
    change: ChangesOf<typeof projectFields>,
    actorId: string,
  ): Promise<ManagedProject | "taken" | null>;
}

const projectItem = v.object({
  pk: v.string(),
  organization: v.string(),
  created_at: v.string(),
  deleted_at: v.optional(v.string()),
  bh: v.optional(v.string()),
});

const nameItem = v.object({ project: v.string(), created_at: v.optional(v.string(), "") });

const idOf = (pk: string): string => pk.slice(projectKey("").pk.length);

const projectOf = (item: Item | undefined, organizationId: string): ManagedProject | null => {
  if (item === undefined) return null;
  const { pk, organization, created_at: createdAt, deleted_at: deletedAt } = v.parse(projectItem, item);
  if (organization !== organizationId || deletedAt !== undefined) return null;
  return {
    id: idOf(pk),
    organizationId,
    ...valuesOfFields(projectFields, v.parse(projectForm.schema, item)),
    createdAt,
  };
};

export const projectStore = (database: Database, now: () => number = Date.now): Projects => {
  const { get, list, write } = accessItems(database);

  const find: Projects["find"] = async (organizationId, id) => projectOf(await get(projectKey(id)), organizationId);

  /** Writes the changed project. @returns `changed` when the project has changed meanwhile or is gone. */
  const change = async (project: ManagedProject, next: ManagedProject, actorId: string) => {
    const { id, organizationId, createdAt: created_at } = project;
    const { name, metadata_keys, masking } = next;
    const hasNewRules =
      !isDeepStrictEqual(project.metadata_keys, metadata_keys) || !isDeepStrictEqual(project.masking, masking);
    const settings = Object.entries(projectForm.write(valuesOfFields(projectFields, next)));
    const settingsBefore = Object.entries(projectForm.write(valuesOfFields(projectFields, project)));
    const failedWrites = await write([
      {
        update: projectKey(id),
        change: `SET ${settings.map(([key]) => `#${key} = :${key}`).join(", ")}`,
        // A setting that an earlier version did not store has its default.
        when: [
          ifNotDeleted,
          ...settings.map(([key]) => `(attribute_not_exists(#${key}) OR #${key} = :${key}Before)`),
        ].join(" AND "),
        values: Object.fromEntries([
          ...settings.map(([key, value]) => [`:${key}`, value]),
          ...settingsBefore.map(([key, value]) => [`:${key}Before`, value]),
        ]),
      },
      auditWrite(
        {
          organizationId,
          actor: { kind: "user", userId: actorId },
          action: "project.updated",
          target: id,
          details: { before: project.name, name },
        },
        now(),
      ),
      ...(name !== project.name
        ? ([
            {
              put: { ...projectNameKey(organizationId, name), project: id, created_at, metadata_keys, masking },
              when: ifAbsent,
            },
            {
              remove: projectNameKey(organizationId, project.name),
              when: "#project = :id",
              values: { ":id": id },
            },
          ] as const)
        : hasNewRules
          ? ([
              {
                update: projectNameKey(organizationId, name),
                change: "SET metadata_keys = :keys, masking = :masking",
                when: "#project = :id",
                values: { ":keys": metadata_keys, ":masking": masking, ":id": id },
              },
            ] as const)
          : []),
    ]);
    if (failedWrites.size === 0) return next;
    return failedWrites.has(0) ? "changed" : "taken";
  };

  return {
    find,

    create: async (project, actorId, maxProjects, repeat = noIdempotency) => {
      const created = { ...project, createdAt: instantAt(now()) };
      const failedWrites = await write(
        projectCreationWrites({ ...created, createdBy: { kind: "user", userId: actorId }, repeat }, maxProjects, now()),
      );
      if (failedWrites.size === 0) return created;
      if (failedWrites.has(1)) {
        const item = await get(projectKey(project.id));
        const existing = projectOf(item, project.organizationId);
        if (existing === null) return "taken";
        repeat.checkReplay(v.parse(projectItem, item).bh ?? null);
        // A repeated request gets the original response, even if the project has changed since.
        return { ...created, createdAt: existing.createdAt };
      }
      return failedWrites.has(0) ? "taken" : "full";
    },

    page: async (organizationId, at) => {
      const names = await list({ pk: organizationPartition(organizationId), prefix: prefixes.projects });
      const listedProjects = names.map((item) => {
        const { project, created_at: createdAt } = v.parse(nameItem, item);
        return { id: project, createdAt };
      });
      const { items, ...page } = orderedPage(listedProjects, ({ id }) => id, "desc", at);
      const projectItems = await batchGet(
        database,
        "access",
        items.map(({ id }) => projectKey(id)),
      );
      const projects = new Map(
        projectItems
          .map((item) => projectOf(item, organizationId))
          .flatMap((each) => (each === null ? [] : [[each.id, each]])),
      );
      return { ...page, items: items.flatMap(({ id }) => projects.get(id) ?? []) };
    },

    update: (organizationId, id, requested, actorId) =>
      withRetries(
        immediateRetryPolicy,
        throwUnavailable("The project is being changed by others. Try again."),
        async () => {
          const project = await find(organizationId, id);
          if (project === null) return null;
          const next = { ...project, ...definedFields(requested) };
          if (isDeepStrictEqual(next, project)) return project;
          const outcome = await change(project, next, actorId);
          return outcome === "changed" ? tryAgain : outcome;
        },
      ),
  };
};
