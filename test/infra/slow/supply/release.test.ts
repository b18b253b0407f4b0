import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../../../infra/local/repository.ts";
import { release } from "../../../../infra/release/release.ts";
import { git } from "../../../../infra/supply/git.ts";
import { temporaryDirectory } from "../../synthesize.ts";

const changelog = "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [1.0.0] - 2026-11-01\n\n- First.\n";
const lock = (version: string): string => JSON.stringify({ version, packages: { "": { version } } });

/** A clone with one commit, ready for the release of 1.1.0. */
const newClone = () => {
  const directory = temporaryDirectory();
  const runGit = (...args: readonly string[]): string => String(git(directory, ...args)).trim();
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
  const commit = (): void => void [runGit("add", "--all"), runGit("commit", "--quiet", "--message", "Change")];
  runGit("init", "--quiet");
  runGit("config", "user.name", "t");
  runGit("config", "user.email", "t@example.com");
  write("package.json", JSON.stringify({ version: "1.1.0" }));
  write("package-lock.json", lock("1.1.0"));
  write("CHANGELOG.md", changelog);
  commit();
  const read = (name: string): string => readFileSync(join(directory, name), "utf8");
  return { directory, runGit, write, commit, read };
};

type Clone = ReturnType<typeof newClone>;

const out = temporaryDirectory();

/** Releases with an assembly of two files. @returns the printed lines. */
const releaseOf = ({ directory }: Clone, isDryRun: boolean, synthesize = writeAssembly): string => {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  release({ repository: directory, out, isDryRun, day: "2026-11-26", print, sbom: () => "{}", synthesize });
  return lines.join("\n");
};

const writeAssembly = (directory: string): void => {
  mkdirSync(join(directory, "asset.a"), { recursive: true });
  writeFileSync(join(directory, "asset.a/index.mjs"), "export {};\n");
  writeFileSync(join(directory, "assay.template.json"), "{}");
};

/** Everything in a clone that a release may change. */
const stateOf = ({ runGit, read }: Clone) => [
  runGit("rev-parse", "HEAD"),
  runGit("tag"),
  runGit("status", "--short"),
  read("CHANGELOG.md"),
];

test("a dry run says what it would do, writes the artifacts with checksums, and changes nothing in git", () => {
  const clone = newClone();
  const before = stateOf(clone);
  const printed = releaseOf(clone, true);
  const sums = readFileSync(join(out, "SHA256SUMS"), "utf8").trim().split("\n");

  expect(stateOf(clone)).toEqual(before);
  expect(printed).toContain("Version 1.1.0, tag v1.1.0, commit ");
  expect(printed).toContain("Would move the unreleased changes into the section [1.1.0] - 2026-11-26 of CHANGELOG.md");
  expect(printed).toContain("Would tag the commit v1.1.0.");
  expect(readdirSync(out).toSorted()).toEqual(["SHA256SUMS", "cdk.out", "notes.md", "sbom.json"]);
  expect(readFileSync(join(out, "notes.md"), "utf8")).toBe("- New.\n");
  expect(sums.map((line) => line.slice(66))).toEqual([
    "cdk.out/assay.template.json",
    "cdk.out/asset.a/index.mjs",
    "notes.md",
    "sbom.json",
  ]);
  for (const line of sums)
    expect(line.slice(0, 64)).toBe(
      createHash("sha256")
        .update(readFileSync(join(out, line.slice(66))))
        .digest("hex"),
    );
});

test("a release moves the changes into the version's section, commits and tags, and can be repeated", () => {
  const clone = newClone();
  releaseOf(clone, false);
  const after = stateOf(clone);
  const repeated = releaseOf(clone, false);

  expect(clone.read("CHANGELOG.md")).toBe(changelog.replace("- New.", "## [1.1.0] - 2026-11-26\n\n- New."));
  expect(clone.runGit("log", "-1", "--format=%s")).toBe("Release 1.1.0");
  expect(clone.runGit("rev-parse", "v1.1.0^{commit}")).toBe(clone.runGit("rev-parse", "HEAD"));
  expect(clone.runGit("status", "--short")).toBe("");
  expect(repeated).toContain("The commit has the tag v1.1.0 already.");
  expect(stateOf(clone)).toEqual(after);
});

test("a release whose synthesis failed has no tag, and the next one continues", () => {
  const clone = newClone();
  const fail = (): void => {
    throw new Error("The stack does not synthesize.");
  };

  expect(() => releaseOf(clone, false, fail)).toThrow("does not synthesize");
  expect(clone.runGit("tag")).toBe("");
  releaseOf(clone, false);
  expect(clone.runGit("tag")).toBe("v1.1.0");
  expect(clone.runGit("rev-list", "--count", "HEAD")).toBe("2");
});

test.each([
  ["an untracked file", ({ write }: Clone) => write("settings.json", "{}"), /^The working tree has changes/u],
  ["a changed file", ({ write }: Clone) => write("CHANGELOG.md", ""), /^The working tree has changes/u],
  [
    "a lock file of another version",
    ({ write, commit }: Clone) => [write("package-lock.json", lock("1.0.0")), commit()],
    /^package-lock\.json has not the version 1\.1\.0/u,
  ],
  [
    "a tag of the version at another commit",
    ({ runGit, write, commit }: Clone) => [runGit("tag", "v1.1.0"), write("new", ""), commit()],
    /^The tag v1\.1\.0 is another commit: raise the version/u,
  ],
  [
    "a section of the version beside unreleased changes",
    ({ write, commit }: Clone) => [write("CHANGELOG.md", changelog.replace("[1.0.0]", "[1.1.0]")), commit()],
    /^CHANGELOG\.md has unreleased changes beside the section 1\.1\.0/u,
  ],
  [
    "no unreleased changes",
    ({ write, commit }: Clone) => [write("CHANGELOG.md", changelog.replace("- New.\n\n", "")), commit()],
    /^CHANGELOG\.md has neither a section 1\.1\.0 nor unreleased changes/u,
  ],
])("%s stops a release before it changes anything", (_, prepare, message) => {
  const clone = newClone();
  prepare(clone);
  const before = stateOf(clone);

  expect(() => releaseOf(clone, false)).toThrow(message);
  expect(stateOf(clone)).toEqual(before);
});

test("the command prints its usage with --help, and refuses what it does not know, before it does anything", () => {
  const program = join(repository, "infra/release/run.ts");
  const refusalOf = (arg: string): string =>
    spawnSync(process.execPath, [program, arg], { encoding: "utf8" }).stderr.trim();

  expect(execFileSync(process.execPath, [program, "--help"], { encoding: "utf8" })).toMatch(/^npm run release -- /u);
  expect(refusalOf("--dryrun")).toBe("There is no flag --dryrun; did you mean --dry-run?");
  expect(refusalOf("help")).toBe("A release takes flags only, not help.");
});
