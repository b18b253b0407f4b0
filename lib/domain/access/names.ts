const pattern = /^[A-Za-z0-9](?:[A-Za-z0-9 _.'-]*[A-Za-z0-9])?$/;
const single = /^[\p{L}\p{N}]$/u;

/**
 * Checks the name of an organization or project, after blanks at its ends were dropped.
 *
 * @param label how the message calls it, such as `Project name`.
 * @returns what is wrong with it, or null.
 */
export const nameFlaw = (label: string, name: string): string | null => {
  if (name === "") return `${label} must not be empty.`;
  if (name.length > 255) return `${label} must be at most 255 characters.`;
  if (Array.from(name).length === 1)
    return single.test(name) ? null : `${label} must start and end with a letter or digit.`;
  if (pattern.test(name)) return null;
  return (
    `${label} must start and end with a letter or digit and contain only letters, digits, spaces, hyphens, ` +
    "underscores, dots, or apostrophes."
  );
};
