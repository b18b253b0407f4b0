import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageAt } from "../../domain/page.ts";
import { unrepeated, type Repeat } from "../../domain/repeat.ts";
import type { CallersProject } from "../../domain/access/principal.ts";
import { absent, accessItems, alive, type Item } from "./items.ts";
import { organizationPartition, prefixes, projectKey, projectNameKey } from "./keys.ts";
import { orderedPage } from "./page.ts";
import { auditWrite } from "./audit-writes.ts";
import { again, attempts, unavailable } from "../attempts.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import { makingProject, metadataKeysOf } from "./project-writes.ts";

/** A project as it is managed. */
export interface ManagedProject extends CallersProject {
  readonly description: string;
  readonly createdAt: string;
}

interface Change {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly metadata_keys?: readonly string[] | null | undefined;
}

export interface Projects {
  /**
   * @param project a repeated request has the same id, and gets what is there.
   * @param most projects that the organization may have.
   * @returns `taken` when another one has the name, `full` when there may be no more or the organization is gone.
   * @throws Refusal as `repeat.met`.
   */
  create(
    project: Omit<ManagedProject, "createdAt">,
    by: string,
    most: number,
    repeat?: Repeat,
  ): Promise<ManagedProject | "taken" | "full">;
  /** A project of the organization that is there; null when it is another's. */
  find(organizationId: string, id: string): Promise<ManagedProject | null>;
  /** Newest first. */
  page(organizationId: string, at: PageAt): Promise<Page<ManagedProject>>;
  /**
   * Changes name, description and the keys of metadata that are declared; null leaves them. The old name is free at once.
   *
   * @returns `taken` when another project has the name, null when the organization has no such project.
   */
  update(organizationId: string, id: string, change: Change, by: string): Promise<ManagedProject | "taken" | null>;
}

const stored = v.object({
  pk: v.string(),
  organization: v.string(),
  name: v.string(),
  description: v.optional(v.string(), ""),
  created_at: v.string(),
  deleted_at: v.optional(v.string()),
  bh: v.optional(v.string()),
  ...metadataKeysOf.entries,
});

const nameItem = v.object({ project: v.string(), created_at: v.optional(v.string(), "") });

const idOf = (pk: string): string => pk.slice(projectKey("").pk.length);

const projectOf = (item: Item | undefined, organizationId: string): ManagedProject | null => {
  if (item === undefined) return null;
  const { pk, organization, name, description, ...found } = v.parse(stored, item);
  if (organization !== organizationId || found.deleted_at !== undefined) return null;
  const { created_at: createdAt, metadata_keys: metadataKeys } = found;
  return { id: idOf(pk), organizationId, name, description, createdAt, metadataKeys };
};

export const projectStore = (database: Database, now: () => number = Date.now): Projects => {
  const { get, list, write } = accessItems(database);

  const find: Projects["find"] = async (organizationId, id) => projectOf(await get(projectKey(id)), organizationId);

  /** @returns `changed` when the project is another by now or gone. */
  const change = async (project: ManagedProject, next: ManagedProject, by: string) => {
    const { id, organizationId, createdAt: created_at } = project;
    const { name, description, metadataKeys: metadata_keys } = next;
    const isDeclaring = !isDeepStrictEqual(project.metadataKeys, metadata_keys);
    const none = project.metadataKeys.length === 0 ? "attribute_not_exists(metadata_keys) OR " : "";
    const failed = await write([
      {
        update: projectKey(id),
        change: "SET #name = :name, description = :description, metadata_keys = :keys",
        when: `${alive} AND #name = :before AND (${none}metadata_keys = :keysBefore)`,
        values: {
          ":name": name,
          ":description": description,
          ":keys": metadata_keys,
          ":before": project.name,
          ":keysBefore": project.metadataKeys,
        },
      },
      auditWrite(
        {
          organizationId,
          by: { kind: "user", userId: by },
          action: "project.updated",
          target: id,
          details: { before: project.name, name },
        },
        now(),
      ),
      ...(name !== project.name
        ? ([
            { put: { ...projectNameKey(organizationId, name), project: id, created_at, metadata_keys }, when: absent },
            {
              remove: projectNameKey(organizationId, project.name),
              when: "#project = :id",
              values: { ":id": id },
            },
          ] as const)
        : isDeclaring
          ? ([
              {
                update: projectNameKey(organizationId, name),
                change: "SET metadata_keys = :keys",
                when: "#project = :id",
                values: { ":keys": metadata_keys, ":id": id },
              },
            ] as const)
          : []),
    ]);
    if (failed.size === 0) return next;
    return failed.has(0) ? "changed" : "taken";
  };

  return {
    find,

    create: async (project, by, most, repeat = unrepeated) => {
      const made = { ...project, createdAt: instantAt(now()) };
      const failed = await write(makingProject({ ...made, by: { kind: "user", userId: by }, repeat }, most, now()));
      if (failed.size === 0) return made;
      if (failed.has(1)) {
        const item = await get(projectKey(project.id));
        const there = projectOf(item, project.organizationId);
        if (there === null) return "taken";
        repeat.met(v.parse(stored, item).bh ?? null);
        // As it was answered then, whatever somebody has made of it since.
        return { ...made, createdAt: there.createdAt };
      }
      return failed.has(0) ? "taken" : "full";
    },

    page: async (organizationId, at) => {
      const names = await list(organizationPartition(organizationId), prefixes.projects);
      const known = names.map((item) => {
        const { project, created_at: createdAt } = v.parse(nameItem, item);
        return { id: project, createdAt };
      });
      const { items, ...page } = orderedPage(known, ({ id }) => id, "desc", at);
      const found = await batchGet(
        database,
        "access",
        items.map(({ id }) => projectKey(id)),
      );
      const projects = new Map(
        found
          .map((item) => projectOf(item, organizationId))
          .flatMap((each) => (each === null ? [] : [[each.id, each]])),
      );
      return { ...page, items: items.flatMap(({ id }) => projects.get(id) ?? []) };
    },

    update: (organizationId, id, wanted, by) =>
      attempts(patience.brief, unavailable("The project is being changed by others. Try again."), async () => {
        const project = await find(organizationId, id);
        if (project === null) return null;
        const next = {
          ...project,
          name: wanted.name ?? project.name,
          description: wanted.description ?? project.description,
          metadataKeys: wanted.metadata_keys ?? project.metadataKeys,
        };
        if (isDeepStrictEqual(next, project)) return project;
        const outcome = await change(project, next, by);
        return outcome === "changed" ? again : outcome;
      }),
  };
};
