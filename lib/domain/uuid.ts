/** Matches a UUID in any case, with or without hyphens. */
export const uuidPattern = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})$/i;

/** Converts a UUID to the stored form, in lower case with hyphens. */
export const canonicalUuid = (text: string): string =>
  text.toLowerCase().replace(/^(.{8})-?(.{4})-?(.{4})-?(.{4})-?(.{12})$/u, "$1-$2-$3-$4-$5");
