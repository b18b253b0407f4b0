import packageFile from "../../package.json" with { type: "json" };
import { git } from "./git.ts";

/** Version and commit of a build. */
export interface Build {
  /** Version of the package, as in `package.json`. */
  readonly version: string;
  /** Commit hash of 40 digits, `<hash>-dirty` if a source of the build differs from the commit, or `unknown`. */
  readonly commit: string;
}

/** Outputs of a deployed stack with the two parts of its build. */
export const buildOutputs = { version: "Version", commit: "Commit" } as const;

/** Template metadata key of the build. */
export const buildMetadata = "Assay::Build";

/** Commit of a source archive: `git archive` replaces the text between the dollar signs (`.gitattributes`). */
const archiveCommit = "$Format:%H$";

/** Files that a build depends on. Others, such as settings, leave a build as it is. */
const sources = ["lib", "functions", "infra", "package.json", "package-lock.json", "cdk.json", "tsconfig.json"];

const commitOf = (repository: string): string => {
  const [prefix, commit] = git(repository, "rev-parse", "--show-prefix", "HEAD")?.split("\n") ?? [];
  // Sources within another repository have a prefix: its commit is not theirs.
  if (prefix !== "" || commit === undefined) return /^[0-9a-f]{40}$/u.test(archiveCommit) ? archiveCommit : "unknown";
  const changes = git(repository, "status", "--porcelain", "--", ...sources);
  return changes === "" ? commit : `${commit}-dirty`;
};

/**
 * Reads version and commit of a repository's sources: from git, else from the source archive. A checkout without git and
 * a copy of the files have the commit `unknown`.
 */
export const readBuild = (repository: string): Build => ({
  version: packageFile.version,
  commit: commitOf(repository),
});

/** Build in the template of the local runtime, which replaces the commit: a new one would make it synthesize again. */
export const localBuild: Build = { version: packageFile.version, commit: "local" };

/** Formats a build for people. */
export const buildName = ({ version, commit }: Build): string => `Assay ${version}, commit ${commit}`;
