import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { Refusal } from "../domain/refusal.ts";
import { randomId } from "../domain/identity.ts";
import { instantAt } from "../domain/instant.ts";
import type { Project } from "../domain/principal.ts";
import { memberKey, membershipKey, organizationKey, projectKey, projectNameKey, userKey } from "./access-keys.ts";
import type { Database } from "./database.ts";
import { cancellationReasons, isConflict } from "./failure.ts";

export interface Access {
  createOrganization(name: string): Promise<string>;
  /** @returns false when the user is a member already, who stays as they are. */
  addMember(organizationId: string, userId: string, role: "OWNER" | "ADMIN" | "MEMBER"): Promise<boolean>;
  isMember(organizationId: string, userId: string): Promise<boolean>;
  findProject(id: string): Promise<Project | null>;
  /**
   * The project of that name, made on first use; concurrent first uses make one.
   *
   * @throws Refusal `forbidden` when the organization has as many projects as it may.
   */
  projectNamed(organizationId: string, name: string): Promise<Project>;
}

const nameItem = v.object({ project: v.string() });
const projectItem = v.object({ organization: v.string(), name: v.string() });
const maxAttempts = 10;

const pause = (attempt: number): Promise<void> => wait(Math.random() * Math.min(400, 10 * 2 ** attempt));

/** @param maxProjects projects an organization may have. */
export const accessStore = ({ client, table }: Database, maxProjects: number, now: () => number = Date.now): Access => {
  const get = async (key: { pk: string; sk: string }): Promise<Record<string, unknown> | undefined> => {
    const { Item } = await client.send(new GetCommand({ TableName: table("access"), Key: key, ConsistentRead: true }));
    return Item;
  };

  const createProject = async (project: Project): Promise<"made" | "taken" | "full" | "again"> => {
    try {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Put: {
                TableName: table("access"),
                Item: { ...projectNameKey(project.organizationId, project.name), project: project.id },
                ConditionExpression: "attribute_not_exists(pk)",
              },
            },
            {
              Put: {
                TableName: table("access"),
                Item: {
                  ...projectKey(project.id),
                  organization: project.organizationId,
                  name: project.name,
                  created_at: instantAt(now()),
                },
              },
            },
            {
              Update: {
                TableName: table("access"),
                Key: organizationKey(project.organizationId),
                UpdateExpression: "ADD projects :one",
                ConditionExpression: "attribute_exists(pk) AND (attribute_not_exists(projects) OR projects < :most)",
                ExpressionAttributeValues: { ":one": 1, ":most": maxProjects },
              },
            },
          ],
        }),
      );
      return "made";
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (reasons?.[0] === "ConditionalCheckFailed") return "taken";
      if (reasons?.[2] === "ConditionalCheckFailed") return "full";
      if (isConflict(error)) return "again";
      throw error;
    }
  };

  /** A membership stands twice, under its organization and under its user, who counts it. */
  const createMember = async (
    organizationId: string,
    userId: string,
    role: string,
  ): Promise<"made" | "taken" | "again"> => {
    const TableName = table("access");
    const member = { role, created_at: instantAt(now()) };
    try {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Put: {
                TableName,
                Item: { ...memberKey(organizationId, userId), ...member },
                ConditionExpression: "attribute_not_exists(pk)",
              },
            },
            { Put: { TableName, Item: { ...membershipKey(organizationId, userId), ...member } } },
            {
              Update: {
                TableName,
                Key: userKey(userId),
                UpdateExpression: "ADD memberships :one",
                ExpressionAttributeValues: { ":one": 1 },
              },
            },
          ],
        }),
      );
      return "made";
    } catch (error) {
      if (cancellationReasons(error)?.[0] === "ConditionalCheckFailed") return "taken";
      if (isConflict(error)) return "again";
      throw error;
    }
  };

  return {
    createOrganization: async (name) => {
      const id = randomId();
      await client.send(
        new PutCommand({
          TableName: table("access"),
          Item: { ...organizationKey(id), name, projects: 0, created_at: instantAt(now()) },
          ConditionExpression: "attribute_not_exists(pk)",
        }),
      );
      return id;
    },

    addMember: async (organizationId, userId, role) => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const outcome = await createMember(organizationId, userId, role);
        if (outcome !== "again") return outcome === "made";
        await pause(attempt);
      }
      throw new Refusal({ kind: "unavailable", detail: "The user is being changed. Try again." });
    },

    isMember: async (organizationId, userId) => (await get(memberKey(organizationId, userId))) !== undefined,

    findProject: async (id) => {
      const item = await get(projectKey(id));
      if (item === undefined) return null;
      const { organization, name } = v.parse(projectItem, item);
      return { id, organizationId: organization, name };
    },

    projectNamed: async (organizationId, name) => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const known = await get(projectNameKey(organizationId, name));
        if (known !== undefined) return { id: v.parse(nameItem, known).project, organizationId, name };
        const project = { id: randomId(), organizationId, name };
        const outcome = await createProject(project);
        if (outcome === "made") return project;
        if (outcome === "full") {
          throw new Refusal({ kind: "forbidden", detail: `The organization has its ${maxProjects} projects.` });
        }
        // All first uses in an organization meet on its counter.
        if (outcome === "again") await pause(attempt);
      }
      throw new Refusal({ kind: "unavailable", detail: "The project is being created. Try again." });
    },
  };
};
