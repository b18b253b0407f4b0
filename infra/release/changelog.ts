/** Returns the text of a changelog's section without its heading; null if the section does not exist. */
export const sectionOf = (changelog: string, name: string): string | null => {
  const lines = changelog.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`## [${name}]`));
  if (start === -1) return null;
  const end = lines.findIndex((line, index) => index > start && line.startsWith("## "));
  return lines
    .slice(start + 1, end === -1 ? undefined : end)
    .join("\n")
    .trim();
};

/** Moves the unreleased changes into a new section of a version. @param day date of the release, `2026-11-26`. */
export const withRelease = (changelog: string, version: string, day: string): string =>
  changelog.replace("## [Unreleased]\n", `## [Unreleased]\n\n## [${version}] - ${day}\n`);
