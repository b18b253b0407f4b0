import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { repository } from "../../../../infra/local/repository.ts";
import { buildMetadata, buildName, readBuild } from "../../../../infra/supply/build.ts";
import { git } from "../../../../infra/supply/git.ts";
import packageFile from "../../../../package.json" with { type: "json" };
import { fixtureBuild, synthesize, synthesizeAnew, temporaryDirectory } from "../../synthesize.ts";

const commitAll = (directory: string): string => {
  git(directory, "add", "--all");
  git(directory, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message", "Add");
  return String(git(directory, "rev-parse", "HEAD")).trim();
};

/** A repository with one committed source. */
const newRepository = () => {
  const directory = temporaryDirectory();
  git(directory, "init", "--quiet");
  mkdirSync(join(directory, "lib"));
  writeFileSync(join(directory, "lib/code.ts"), "export {};\n");
  return { directory, commit: commitAll(directory) };
};

const ids = (resources: object): readonly string[] => Object.keys(resources).toSorted();

test("the commit is marked if a source of the build differs from it, and not for other files", () => {
  const { directory, commit } = newRepository();

  mkdirSync(join(directory, "settings"));
  writeFileSync(join(directory, "settings/prod.json"), "{}");
  const withSettings = readBuild(directory);
  writeFileSync(join(directory, "lib/more.ts"), "export {};\n");
  const withSource = readBuild(directory);

  expect(withSettings).toEqual({ version: packageFile.version, commit });
  expect(withSource.commit).toBe(`${commit}-dirty`);
  expect(buildName(withSource)).toBe(`Assay ${packageFile.version}, commit ${commit}-dirty`);
});

test("without git, and within another repository, the commit is unknown", () => {
  const { directory } = newRepository();

  expect(readBuild(temporaryDirectory()).commit).toBe("unknown");
  expect(readBuild(join(directory, "lib")).commit).toBe("unknown");
});

test("a source archive has the commit that it was made of", () => {
  const { directory } = newRepository();
  const files = [".gitattributes", "package.json", "infra/supply/build.ts", "infra/supply/git.ts"];
  for (const file of files) cpSync(join(repository, file), join(directory, file));
  const commit = commitAll(directory);
  const archive = temporaryDirectory();
  git(directory, "archive", "--format=tar", `--output=${join(archive, "a.tar")}`, "HEAD");
  execFileSync("tar", ["-xf", "a.tar"], { cwd: archive });
  const url = pathToFileURL(join(archive, "infra/supply/build.ts")).href;
  const program = `import { readBuild } from ${JSON.stringify(url)}; console.log(readBuild(${JSON.stringify(archive)}).commit);`;

  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });

  expect(printed.trim()).toBe(commit);
});

test("the template's metadata has the build, and a new commit changes the four functions that report it", () => {
  const before = synthesize().template.toJSON();
  const { template } = synthesizeAnew({}, undefined, { version: "1.2.4", commit: "f".repeat(40) });
  const after = template.toJSON();
  const changedIds = ids(after.Resources).filter(
    (id) => JSON.stringify(after.Resources[id]) !== JSON.stringify(before.Resources[id]),
  );

  expect(before.Metadata[buildMetadata]).toEqual(fixtureBuild);
  expect(ids(after.Resources)).toEqual(ids(before.Resources));
  expect(changedIds).toEqual([
    expect.stringMatching(/^ApiRoutesexchangeMcpMessagesFunction/u),
    expect.stringMatching(/^ApiRoutesgetDocsFunction/u),
    expect.stringMatching(/^ApiRoutesgetHealthFunction/u),
    expect.stringMatching(/^ApiRoutesgetOpenApiFunction/u),
  ]);
});
