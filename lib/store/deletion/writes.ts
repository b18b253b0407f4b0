import type { Deletion } from "../../domain/access/deletion.ts";
import { absent, type AccessWrite } from "../access/items.ts";
import { deletionEntryKey, deletionKey, openDeletionsPartition, type AccessKey } from "../access/keys.ts";
import { listedEntryKey } from "./entries.ts";

/** A deletion that is asked for. */
export type NewDeletion = Pick<Deletion, "id" | "kind" | "name" | "organizationId" | "requestedBy" | "requestedAt">;

export const openDeletionKey = (id: string): AccessKey => deletionEntryKey(openDeletionsPartition, id);

/** The writes that begin a deletion: what goes on with it finds it in the list of open ones, people in their own lists. */
export const beginning = (deletion: NewDeletion) => {
  const { id, kind, name, requestedAt: created_at } = deletion;
  const item = {
    ...deletionKey(id),
    id,
    kind,
    name,
    organization: deletion.organizationId,
    requested_by: deletion.requestedBy,
    created_at,
    removed: {},
    empty_since: null,
    proved_at: null,
  };
  return [
    { put: item, when: absent },
    { put: { ...openDeletionKey(id), created_at } },
    { put: { ...listedEntryKey(deletion), created_at } },
  ] as const satisfies readonly AccessWrite[];
};
