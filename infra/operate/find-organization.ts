import type { Database } from "../../lib/dynamo/database.ts";
import { organizationKey } from "../../lib/store/access/keys.ts";
import { organizationStore, type ManagedOrganization } from "../../lib/store/access/organizations.ts";
import { accessScan } from "../../lib/store/access/scan.ts";

/** Items of a page of the scan for organizations. */
const pageSize = 1_000;

/** Lists the organizations of a deployment by name. It has no index of them: the table `access` is read as a whole. */
export const allOrganizations = async (database: Database): Promise<readonly ManagedOrganization[]> => {
  const scan = accessScan(database, pageSize);
  const { pk: prefix, sk: sort } = organizationKey("");
  const ids: string[] = [];
  let from: string | null = null;
  do {
    const { items, next } = await scan(from);
    for (const { pk, sk } of items) if (sk === sort) ids.push(String(pk).slice(prefix.length));
    from = next;
  } while (from !== null);
  const organizations = await organizationStore(database).findMany(ids);
  return [...organizations.values()].toSorted((a, b) => a.name.localeCompare(b.name));
};

/** Reads an organization. @throws Error if it does not exist. */
export const findOrganization = async (database: Database, id: string): Promise<ManagedOrganization> => {
  const organization = await organizationStore(database).find(id);
  if (organization === null) throw new Error(`There is no organization ${id}.`);
  return organization;
};
