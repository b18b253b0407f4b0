/** A key of the table `access`: organizations, projects, memberships, invitations, users, API keys, codes, audit events. */
export type AccessKey = Readonly<Record<"pk" | "sk", string>>;

/** Partition of an organization and the lists of what it has. */
export const organizationPartition = (id: string): string => `organization#${id}`;

/** Partition of a user and their memberships. */
export const userPartition = (id: string): string => `user#${id}`;

/** What the sort keys of an organization's lists, a user's and an address's begin with. */
export const prefixes = {
  projects: "project#",
  members: "member#",
  apiKeys: "api-key#",
  invitations: "invitation#",
  auditEvents: "event#",
  deletions: "deletion#",
  users: "user#",
} as const;

export const organizationKey = (id: string): AccessKey => ({ pk: `organization#${id}`, sk: "organization" });

export const projectKey = (id: string): AccessKey => ({ pk: `project#${id}`, sk: "project" });

/** An organization's project by its name. */
export const projectNameKey = (organizationId: string, name: string): AccessKey => ({
  pk: `organization#${organizationId}`,
  sk: `project#${name}`,
});

/** A membership, listed by organization. */
export const memberKey = (organizationId: string, userId: string): AccessKey => ({
  pk: `organization#${organizationId}`,
  sk: `member#${userId}`,
});

/** The same membership, listed by user. */
export const membershipKey = (organizationId: string, userId: string): AccessKey => ({
  pk: `user#${userId}`,
  sk: `member#${organizationId}`,
});

export const userKey = (id: string): AccessKey => ({ pk: `user#${id}`, sk: "user" });

/** An API key, found by its hash alone. */
export const apiKeyKey = (hash: string): AccessKey => ({ pk: `key#${hash}`, sk: "key" });

/** An organization's API key by its id: tells the hash. */
export const apiKeyEntryKey = (organizationId: string, keyId: string): AccessKey => ({
  pk: `organization#${organizationId}`,
  sk: `api-key#${keyId}`,
});

export const invitationKey = (id: string): AccessKey => ({ pk: `invitation#${id}`, sk: "invitation" });

/** An organization's invitation: leads to it. */
export const invitationEntryKey = (organizationId: string, id: string): AccessKey => ({
  pk: `organization#${organizationId}`,
  sk: `invitation#${id}`,
});

/** Partition of the invitations that wait for an address, in lower case, and of the users who have it. */
export const emailPartition = (email: string): string => `email#${email}`;

/** The invitation to an organization that waits for an address: there is one at most. */
export const pendingInvitationKey = (email: string, organizationId: string): AccessKey => ({
  pk: emailPartition(email),
  sk: `invitation#${organizationId}`,
});

/** A user under the address that the tokens tell; others may have the same. */
export const userEmailKey = (email: string, userId: string): AccessKey => ({
  pk: emailPartition(email),
  sk: `user#${userId}`,
});

/** A code of the CLI's sign-in, by its hash. */
export const cliCodeKey = (hash: string): AccessKey => ({ pk: `cli-code#${hash}`, sk: "code" });

/** Partition of an organization's audit events. */
export const auditPartition = (organizationId: string): string => `audit#${organizationId}`;

export const auditKey = (organizationId: string, createdAt: string, id: string): AccessKey => ({
  pk: auditPartition(organizationId),
  sk: `${prefixes.auditEvents}${createdAt}#${id}`,
});

export const deletionKey = (id: string): AccessKey => ({ pk: `deletion#${id}`, sk: "deletion" });

/** A deletion in the list of an organization or user, whose partition is given: leads to it. */
export const deletionEntryKey = (partition: string, id: string): AccessKey => ({
  pk: partition,
  sk: `${prefixes.deletions}${id}`,
});

/** The one partition of deletions that go on. */
export const openDeletionsPartition = "open-deletions";

/** A client's gateway key, by the client (see `clientOf`). */
export const gatewayKeyKey = (client: string): AccessKey => ({ pk: `client#${client}`, sk: "gateway-key" });

/** How many gateway keys there are. */
export const gatewayKeyCountKey: AccessKey = { pk: "gateway-keys", sk: "count" };

/** How many of them an organization has taken. */
export const gatewayKeyShareKey = (organizationId: string): AccessKey => ({
  pk: "gateway-keys",
  sk: `organization#${organizationId}`,
});

/** What goes when an API key expires: the stream tells of it. */
export const keyExpiryKey = (keyId: string): AccessKey => ({ pk: `key-expiry#${keyId}`, sk: "key-expiry" });

/** What is written when the items of who may do what are to be looked through: the stream brings it to its worker. */
export const reconciliationKey: AccessKey = { pk: "gateway-keys", sk: "reconcile" };
