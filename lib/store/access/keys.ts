/**
 * Primary key of the table `access`: organizations, projects, memberships, invitations, users, API keys, codes, audit
 * events.
 */
export type AccessKey = Readonly<Record<"pk" | "sk", string>>;

/** Partition of an organization and of its lists (members, API keys, invitations, ...). */
export const organizationPartition = (id: string): string => `organization#${id}`;

/** Partition of a user and their memberships. */
export const userPartition = (id: string): string => `user#${id}`;

/** Sort key prefixes of the lists under an organization, a user or an email address. */
export const prefixes = {
  projects: "project#",
  members: "member#",
  apiKeys: "api-key#",
  invitations: "invitation#",
  auditEvents: "event#",
  deletions: "deletion#",
  /** Deletions of users of traces: an earlier version, which reads those above, does not know their kind. */
  erasures: "erasure#",
  users: "user#",
} as const;

export const organizationKey = (id: string): AccessKey => ({ pk: `organization#${id}`, sk: "organization" });

export const projectKey = (id: string): AccessKey => ({ pk: `project#${id}`, sk: "project" });

/** Key of an organization's project by its name. */
export const projectNameKey = (organizationId: string, name: string): AccessKey => ({
  pk: `organization#${organizationId}`,
  sk: `project#${name}`,
});

/** Key of a membership in its organization's list. */
export const memberKey = (organizationId: string, userId: string): AccessKey => ({
  pk: `organization#${organizationId}`,
  sk: `member#${userId}`,
});

/** Key of a membership in its user's list. */
export const membershipKey = (organizationId: string, userId: string): AccessKey => ({
  pk: `user#${userId}`,
  sk: `member#${organizationId}`,
});

export const userKey = (id: string): AccessKey => ({ pk: `user#${id}`, sk: "user" });

/** Key of an API key, which is read by its hash alone. */
export const apiKeyKey = (hash: string): AccessKey => ({ pk: `key#${hash}`, sk: "key" });

/** Key of an organization's entry for an API key, which maps the key's id to its hash. */
export const apiKeyEntryKey = (organizationId: string, keyId: string): AccessKey => ({
  pk: `organization#${organizationId}`,
  sk: `api-key#${keyId}`,
});

export const invitationKey = (id: string): AccessKey => ({ pk: `invitation#${id}`, sk: "invitation" });

/** Key of an organization's list entry for an invitation. */
export const invitationEntryKey = (organizationId: string, id: string): AccessKey => ({
  pk: `organization#${organizationId}`,
  sk: `invitation#${id}`,
});

/** Partition of an email address (lower case): its pending invitations and its users. */
export const emailPartition = (email: string): string => `email#${email}`;

/** Key of the pending invitation of an address to an organization; there is at most one. */
export const pendingInvitationKey = (email: string, organizationId: string): AccessKey => ({
  pk: emailPartition(email),
  sk: `invitation#${organizationId}`,
});

/** Key of a user's entry under their email address; several users can share an address. */
export const userEmailKey = (email: string, userId: string): AccessKey => ({
  pk: emailPartition(email),
  sk: `user#${userId}`,
});

/** Key of a CLI sign-in code, by its hash. */
export const cliCodeKey = (hash: string): AccessKey => ({ pk: `cli-code#${hash}`, sk: "code" });

/** Partition of an organization's audit events. */
export const auditPartition = (organizationId: string): string => `audit#${organizationId}`;

export const auditKey = (organizationId: string, createdAt: string, id: string): AccessKey => ({
  pk: auditPartition(organizationId),
  sk: `${prefixes.auditEvents}${createdAt}#${id}`,
});

export const deletionKey = (id: string): AccessKey => ({ pk: `deletion#${id}`, sk: "deletion" });

/** Key of a deletion's entry in the list of an organization or user, whose partition is the first parameter. */
export const deletionEntryKey = (partition: string, id: string, prefix: string = prefixes.deletions): AccessKey => ({
  pk: partition,
  sk: prefix + id,
});

/** Partition of all unfinished deletions. */
export const openDeletionsPartition = "open-deletions";

/** Key of the item with an API client's API Gateway key; the client is a user or an API key (see `clientOf`). */
export const gatewayKeyKey = (client: string): AccessKey => ({ pk: `client#${client}`, sk: "gateway-key" });

/** Key of the counter of all API Gateway keys. */
export const gatewayKeyCountKey: AccessKey = { pk: "gateway-keys", sk: "count" };

/** Key of the counter of an organization's API Gateway keys. */
export const gatewayKeyShareKey = (organizationId: string): AccessKey => ({
  pk: "gateway-keys",
  sk: `organization#${organizationId}`,
});

/** Key of an item that expires with an API key, so that the table's stream reports the expiry. */
export const keyExpiryKey = (keyId: string): AccessKey => ({ pk: `key-expiry#${keyId}`, sk: "key-expiry" });

/**
 * Key of the item whose write starts a reconciliation (repair of API Gateway keys, sign-in keys and expiries) of the
 * access table, through the table's stream.
 */
export const reconciliationKey: AccessKey = { pk: "gateway-keys", sk: "reconcile" };

/** Key of the item whose writes put clients at the end of the access table's stream. */
export const postponedClientsKey: AccessKey = { pk: "gateway-keys", sk: "postponed" };
