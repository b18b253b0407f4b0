/** Keys of the table `access`: organizations, projects, memberships, users, API keys. */
interface Key {
  readonly pk: string;
  readonly sk: string;
}

export const organizationKey = (id: string): Key => ({ pk: `organization#${id}`, sk: "organization" });

export const projectKey = (id: string): Key => ({ pk: `project#${id}`, sk: "project" });

/** An organization's project by its name. */
export const projectNameKey = (organizationId: string, name: string): Key => ({
  pk: `organization#${organizationId}`,
  sk: `project#${name}`,
});

/** A membership, listed by organization. */
export const memberKey = (organizationId: string, userId: string): Key => ({
  pk: `organization#${organizationId}`,
  sk: `member#${userId}`,
});

/** The same membership, listed by user. */
export const membershipKey = (organizationId: string, userId: string): Key => ({
  pk: `user#${userId}`,
  sk: `member#${organizationId}`,
});

export const userKey = (id: string): Key => ({ pk: `user#${id}`, sk: "user" });

/** An API key, found by its hash alone. */
export const apiKeyKey = (hash: string): Key => ({ pk: `key#${hash}`, sk: "key" });

/** An organization's API key by its id: tells the hash. */
export const apiKeyEntryKey = (organizationId: string, keyId: string): Key => ({
  pk: `organization#${organizationId}`,
  sk: `api-key#${keyId}`,
});
