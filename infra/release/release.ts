import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { git } from "../supply/git.ts";
import { sectionOf, withRelease } from "./changelog.ts";

const packageFile = v.object({ version: v.pipe(v.string(), v.regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u)) });
const lockFile = v.object({ version: v.string(), packages: v.object({ "": v.object({ version: v.string() }) }) });

/** Options of a release. */
export interface ReleaseOptions {
  /** Root directory of the repository. */
  readonly repository: string;
  /** Directory for the artifacts. */
  readonly out: string;
  /** True to change nothing in git. */
  readonly isDryRun: boolean;
  /** Date of the release, `2026-11-26`. */
  readonly day: string;
  readonly print: (line: string) => void;
  /** Returns the bill of materials. */
  readonly sbom: () => string;
  /** Synthesizes the stack, with its bundles, into a directory. */
  readonly synthesize: (directory: string) => void;
}

const notes = "notes.md";
const bill = "sbom.json";
const assembly = "cdk.out";
const checksums = "SHA256SUMS";

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

/** Lists the SHA-256 of each file, sorted by path, as `sha256sum --check` reads it. */
const checksumsOf = (directory: string): string =>
  [
    notes,
    bill,
    ...readdirSync(join(directory, assembly), { recursive: true, encoding: "utf8" }).map((name) =>
      join(assembly, name),
    ),
  ]
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => name.replaceAll("\\", "/"))
    .toSorted()
    .map((name) => `${sha256(readFileSync(join(directory, name)))}  ${name}\n`)
    .join("");

/** Runs a git command that has to succeed. @returns its trimmed output. */
const runGit = (repository: string, ...args: readonly string[]): string => {
  const output = git(repository, ...args);
  if (output === null) throw new Error(`git ${args.join(" ")} failed.`);
  return output.trim();
};

/** State of a version before its release. */
interface Plan {
  readonly version: string;
  readonly tag: string;
  /** Text of the changelog with the version's section; null if it has the section. */
  readonly changelog: string | null;
  /** Changes of the version. */
  readonly section: string;
  readonly isTagged: boolean;
}

/** Reads the plan of a release. @throws Error with one sentence if the repository is not ready for it. */
const planOf = ({ repository, day }: ReleaseOptions): Plan => {
  const read = (name: string): string => readFileSync(join(repository, name), "utf8");
  const { version } = v.parse(packageFile, JSON.parse(read("package.json")));
  const lock = v.parse(lockFile, JSON.parse(read("package-lock.json")));
  if (lock.version !== version || lock.packages[""].version !== version)
    throw new Error(`package-lock.json has not the version ${version} of package.json: run npm install.`);
  if (runGit(repository, "status", "--porcelain") !== "")
    throw new Error("The working tree has changes or untracked files, settings included: release from a fresh clone.");
  const tag = `v${version}`;
  const taggedCommit = git(repository, "rev-parse", "--verify", `refs/tags/${tag}^{commit}`)?.trim();
  if (taggedCommit !== undefined && taggedCommit !== runGit(repository, "rev-parse", "HEAD"))
    throw new Error(`The tag ${tag} is another commit: raise the version in package.json.`);
  const changelog = read("CHANGELOG.md");
  const [unreleased, section] = [sectionOf(changelog, "Unreleased"), sectionOf(changelog, version)];
  const isTagged = taggedCommit !== undefined;
  if (section !== null) {
    if (unreleased !== null && unreleased !== "")
      throw new Error(`CHANGELOG.md has unreleased changes beside the section ${version}: move them into one.`);
    return { version, tag, changelog: null, section, isTagged };
  }
  if (isTagged) throw new Error(`CHANGELOG.md has no section ${version}, but the tag ${tag} exists.`);
  if (unreleased === null || unreleased === "")
    throw new Error(`CHANGELOG.md has neither a section ${version} nor unreleased changes.`);
  return { version, tag, changelog: withRelease(changelog, version, day), section: unreleased, isTagged };
};

/** Writes bill of materials, notes, assembly and checksums. Other files in the directory stay. */
const writeArtifacts = ({ out, sbom, synthesize }: ReleaseOptions, section: string): void => {
  for (const name of [notes, bill, assembly, checksums]) rmSync(join(out, name), { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, notes), `${section}\n`);
  writeFileSync(join(out, bill), sbom());
  synthesize(join(out, assembly));
  writeFileSync(join(out, checksums), checksumsOf(out));
};

/**
 * Releases the version in `package.json`: moves the unreleased changes into its section of the changelog, commits that,
 * writes the artifacts of the commit, and tags it. Never pushes. A release that failed continues where it stopped; of a
 * tagged commit only the artifacts are written.
 *
 * @throws Error with one sentence if the repository is not ready, before anything is changed.
 */
export const release = (options: ReleaseOptions): void => {
  const { repository, out, isDryRun, day, print } = options;
  const plan = planOf(options);
  const { version, tag, changelog, section, isTagged } = plan;
  const act = (description: string, work: () => void): void => {
    print(`${isDryRun ? "Would" : "Will"} ${description}.`);
    if (!isDryRun) work();
  };

  print(`Version ${version}, tag ${tag}, commit ${runGit(repository, "rev-parse", "HEAD")}.`);
  if (changelog !== null)
    act(`move the unreleased changes into the section [${version}] - ${day} of CHANGELOG.md, and commit it`, () => {
      writeFileSync(join(repository, "CHANGELOG.md"), changelog);
      runGit(repository, "commit", "--quiet", "--message", `Release ${version}`, "--", "CHANGELOG.md");
    });
  writeArtifacts(options, section);
  print(`Wrote ${notes}, ${bill}, ${assembly} and ${checksums} into ${out}.`);
  if (isTagged) print(`The commit has the tag ${tag} already.`);
  else
    act(`tag the commit ${tag}`, () => runGit(repository, "tag", "--annotate", tag, "--message", `Assay ${version}`));
  print(`Nothing was pushed${isDryRun ? ", and nothing in git was changed" : `: git push origin HEAD ${tag}`}.`);
};
