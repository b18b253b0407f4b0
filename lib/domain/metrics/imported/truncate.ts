/** Truncates a text to `maxLength` UTF-16 units without cutting a surrogate pair in two. */
export const truncate = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\ud800-\udbff]$/u, "");
