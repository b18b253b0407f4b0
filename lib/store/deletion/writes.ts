import type { Deletion } from "../../domain/access/deletion.ts";
import { ifAbsent, type Write } from "../../dynamo/items.ts";
import {
  deletionEntryKey,
  deletionKey,
  openDeletionsPartition,
  organizationPartition,
  userPartition,
  type AccessKey,
} from "../access/keys.ts";

/** A requested deletion. */
export type NewDeletion = Pick<Deletion, "id" | "kind" | "name" | "organizationId" | "requestedBy" | "requestedAt">;

/** Key of a deletion's entry in the list of unfinished deletions. */
export const openDeletionKey = (id: string): AccessKey => deletionEntryKey(openDeletionsPartition, id);

/**
 * Returns the key of a deletion's list entry: in its organization for a project, in the requesting user for an
 * organization.
 */
export const listedEntryKey = ({
  id,
  kind,
  organizationId,
  requestedBy,
}: Pick<Deletion, "id" | "kind" | "organizationId" | "requestedBy">): AccessKey =>
  deletionEntryKey(kind === "PROJECT" ? organizationPartition(organizationId) : userPartition(requestedBy), id);

/**
 * Returns the writes that begin a deletion: its receipt, its entry in the workers' list of open deletions, and its
 * entry in the list for users.
 */
export const deletionWrites = (deletion: NewDeletion) => {
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
    { put: item, when: ifAbsent },
    { put: { ...openDeletionKey(id), created_at } },
    { put: { ...listedEntryKey(deletion), created_at } },
  ] as const satisfies readonly Write[];
};
