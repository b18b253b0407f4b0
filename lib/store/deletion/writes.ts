import type { Deletion } from "../../domain/access/deletion.ts";
import { ifAbsent, type Write } from "../../dynamo/items.ts";
import {
  deletionEntryKey,
  deletionKey,
  openDeletionsPartition,
  organizationPartition,
  prefixes,
  userPartition,
  type AccessKey,
} from "../access/keys.ts";

/** A requested deletion. */
export type NewDeletion = Pick<
  Deletion,
  "id" | "kind" | "name" | "projectId" | "organizationId" | "requestedBy" | "requestedAt"
>;

const prefixOf = ({ kind }: Pick<Deletion, "kind">): string =>
  kind === "USER" ? prefixes.erasures : prefixes.deletions;

/** Key of a deletion's entry in the list of unfinished deletions. */
export const openDeletionKey = (deletion: Pick<Deletion, "id" | "kind">): AccessKey =>
  deletionEntryKey(openDeletionsPartition, deletion.id, prefixOf(deletion));

/**
 * Returns the key of a deletion's list entry: in the requesting user for an organization, in its organization for anything else.
 */
export const listedEntryKey = (
  deletion: Pick<Deletion, "id" | "kind" | "organizationId" | "requestedBy">,
): AccessKey => {
  const { id, kind, organizationId, requestedBy } = deletion;
  const partition = kind === "ORGANIZATION" ? userPartition(requestedBy) : organizationPartition(organizationId);
  return deletionEntryKey(partition, id, prefixOf(deletion));
};

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
    project: deletion.projectId ?? undefined,
    organization: deletion.organizationId,
    requested_by: deletion.requestedBy,
    created_at,
    removed: {},
    empty_since: null,
    proved_at: null,
  };
  return [
    // The same user of traces may be erased again once their erasure is proved.
    {
      put: item,
      when: `${ifAbsent} OR (#kind = :user AND proved_at <> :null)`,
      values: { ":user": "USER", ":null": null },
    },
    { put: { ...openDeletionKey(deletion), created_at } },
    { put: { ...listedEntryKey(deletion), created_at } },
  ] as const satisfies readonly Write[];
};
