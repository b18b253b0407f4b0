/** The URL of a path below a base URL, which may end in a slash or not. */
export const urlBelow = (base: string, path: string): URL => new URL(path, base.endsWith("/") ? base : `${base}/`);
