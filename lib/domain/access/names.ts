import { hasKeyPrefix } from "./identity.ts";

const pattern = /^[A-Za-z0-9](?:[A-Za-z0-9 _.'-]*[A-Za-z0-9])?$/;
const singleCharacter = /^[\p{L}\p{N}]$/u;

/**
 * Validates the trimmed name of an organization or project.
 *
 * @param label subject of the error message, such as `Project name`.
 * @returns the error message, or null if the name is valid.
 */
export const nameFlaw = (label: string, name: string): string | null => {
  // A program whose settings are mixed up would show its key to everyone who lists projects.
  if (hasKeyPrefix(name)) return `${label} must not be an API key.`;
  if (name === "") return `${label} must not be empty.`;
  if (name.length > 255) return `${label} must be at most 255 characters.`;
  if (Array.from(name).length === 1)
    return singleCharacter.test(name) ? null : `${label} must start and end with a letter or digit.`;
  if (pattern.test(name)) return null;
  return (
    `${label} must start and end with a letter or digit and contain only letters, digits, spaces, hyphens, ` +
    "underscores, dots, or apostrophes."
  );
};
