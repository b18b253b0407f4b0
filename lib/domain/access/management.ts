/** What the paths of management routes begin with: bearer tokens are the only credential there. */
const roots = new Set(["organizations", "me", "cli", "subscriptions"]);

/** Whether a path, such as `/organizations/{org_id}`, is a management route's. */
export const isManagement = (path: string): boolean => roots.has(path.split("/")[1] ?? "");
