/** Every way to write a UUID that is taken: in any case, with its hyphens or without. */
export const writtenUuid = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})$/i;

/** A UUID as it is kept and answered, in lower case with hyphens, from any way to write it. */
export const usualUuid = (written: string): string =>
  written.toLowerCase().replace(/^(.{8})-?(.{4})-?(.{4})-?(.{4})-?(.{12})$/u, "$1-$2-$3-$4-$5");
