import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import { tableNames } from "../../lib/dynamo/table.ts";

const repository = join(import.meta.dirname, "../..");

/** Compiles the declarations of a source file, given by its path or by its text. */
const declarationOf = (source: { readonly file: string } | { readonly text: string }): string => {
  const directory = mkdtempSync(join(tmpdir(), "assay-declarations-"));
  try {
    const file = "file" in source ? source.file : join(directory, "source.mts");
    if ("text" in source) writeFileSync(file, source.text);
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noErrorTruncation: true,
      rootDir: parse(repository).root,
      outDir: join(directory, "out"),
      typeRoots: [join(repository, "node_modules/@types")],
      // A file of the repository is checked with all others, and its annotations need no other file.
      ...("file" in source && { noCheck: true, noResolve: true }),
    };
    const project = { extends: join(repository, "tsconfig.json"), compilerOptions, include: [], files: [file] };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(project));
    const compiler = join(repository, "node_modules/typescript/bin/tsc");
    // With one thread no file is checked twice.
    const args = [compiler, "--singleThreaded", "-p", directory];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const name = parse(file).name;
    const [output] = globSync(`out/**/${name}.d.*ts`, { cwd: directory });
    if (status !== 0 || output === undefined) throw new Error(`The declarations of ${name} do not compile:\n${stdout}`);
    return readFileSync(join(directory, output), "utf8");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

/** A variable of the type of the settings: the compiler spells its type out in the declaration, without imports. */
const spelledSettings = `import type { AssaySettings } from ${JSON.stringify(join(import.meta.dirname, "assay-settings.ts"))};
declare const spelled: <Type>() => { readonly [Key in keyof Type]: Type[Key] };
export const settings = spelled<AssaySettings>();
`;

/** Reads the comments of the settings from their schema's source, by name. */
const settingComments = (): ReadonlyMap<string, string> => {
  const source = readFileSync(join(repository, "infra/settings/settings.ts"), "utf8");
  const members = source.matchAll(/\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n {2}(?<name>\w+): v\./gu);
  return new Map(
    Array.from(members, ({ groups: { name = "", comment = "" } = {} }) => [
      name,
      comment.replaceAll(/\s*\n\s*\*?\s*/gu, " ").trim(),
    ]),
  );
};

/** Returns the interface of the settings, each with its comment. */
const settingsInterface = (): string => {
  const comments = settingComments();
  const members = declarationOf({ text: spelledSettings })
    .replace(/^[\s\S]*?export declare const settings: \{\n/u, "")
    .replace(/\n\};[\s\S]*$/u, "")
    .replaceAll(/^ {4}readonly (?<name>\w+)/gmu, (member, name: string) => {
      const comment = comments.get(name);
      return comment === undefined ? member : `    /** ${comment} */\n${member}`;
    });
  return `/** The settings of a stage by name, as in a settings file. */\nexport interface AssaySettings {\n${members}\n}\n`;
};

/** Returns the type declarations of the package: `AssayStack` and its properties, which import from `aws-cdk-lib` and `constructs` only. */
export const packageDeclarations = (): string => {
  const source = declarationOf({ file: join(import.meta.dirname, "assay-stack.ts") });
  const stack = source.replaceAll(/^import [^\n]* from "\.[^\n]*\n/gmu, "");
  const tables = `/** Names of the DynamoDB tables. */\nexport type TableName = ${tableNames.map((name) => JSON.stringify(name)).join(" | ")};\n`;
  return [stack, tables, settingsInterface()].join("\n");
};
