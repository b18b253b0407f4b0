/** First path segments of management routes, which accept bearer tokens as the only credential. */
const roots = new Set(["organizations", "me", "cli", "subscriptions"]);

/** True if a path, such as `/organizations/{org_id}`, belongs to a management route. */
export const isManagementPath = (path: string): boolean => roots.has(path.split("/")[1] ?? "");
