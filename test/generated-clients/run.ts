/**
 * Entry point of `node test/generated-clients/run.ts`: lints the OpenAPI document, generates clients from it, compiles each whose compiler
 * is installed and lets those of six languages store a trace, evaluate it and read its score. Needs Java, Maven, npm and the network; a
 * missing program is named and is no failure. Names of generators choose some: `node test/generated-clients/run.ts go ruby`.
 */
import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { openApiDocument } from "../../lib/contract/openapi/document.ts";
import { routes } from "../../lib/contract/routes.ts";
import { startService } from "../support/service/service.ts";
import { languages, linters } from "./languages.ts";

const generatorVersion = "7.25.0";
const copyArtifact = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
/** Line that a job prints: the offline judge finds no fault with the one call of its trace. */
const expectedScore = "tool_correctness 1.0";

const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

/** Runs a program in a folder and returns what it printed. @throws Error with its output if it fails. */
const run = async (folder: string, [program, ...options]: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const settings = { cwd: folder, maxBuffer: 2 ** 28, env: { ...process.env, ...env } };
  const { stdout } = await promisify(execFile)(program ?? "", options, settings).catch((error: unknown) => {
    const { stdout: out = "", stderr = "" } = Object(error) as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} failed:\n${out.slice(-8000)}${stderr.slice(-8000)}`, { cause: error });
  });
  return stdout;
};

const work = mkdtempSync(join(tmpdir(), "generated-clients-"));
const jar = join(work, `openapi-generator-cli-${generatorVersion}.jar`);
const documentFile = join(work, "openapi.json");
writeFileSync(documentFile, JSON.stringify(openApiDocument(routes)));
writeFileSync(join(work, ".spectral.json"), JSON.stringify({ extends: ["spectral:oas"] }));

const lint = async ({ packages, call }: (typeof linters)[number]): Promise<string> => {
  await run(work, ["npm", "install", "--no-save", "--silent", "--prefix", work, ...packages]);
  await run(work, call);
  return `${packages.join(" ")}: no error.`;
};

/** Generates and compiles the client of a language, and runs its job. @returns what was done, a sentence. @throws Error if a step fails. */
const check = async (language: (typeof languages)[number], variables: NodeJS.ProcessEnv): Promise<string> => {
  const { generator, options = [], files = {}, texts = {}, compile, sources, job } = language;
  const folder = join(work, generator);
  await run(work, ["java", "-jar", jar, "generate", "-g", generator, "-i", documentFile, "-o", folder, ...options]);
  const [program = ""] = compile[0] ?? [];
  if (!isInstalled(program)) return `${generator}: generated, but not compiled, because ${program} is not installed.`;
  for (const place of [...Object.keys(files), ...Object.keys(texts)])
    mkdirSync(dirname(join(folder, place)), { recursive: true });
  for (const [place, name] of Object.entries(files)) copyFileSync(join(import.meta.dirname, name), join(folder, place));
  for (const [place, text] of Object.entries(texts)) writeFileSync(join(folder, place), text);
  const compiled = sources === undefined ? [""] : globSync(sources, { cwd: folder });
  if (compiled.length === 0) throw new Error("nothing was generated.");
  for (const command of compile)
    for (const path of compiled)
      await run(
        folder,
        command.map((part) => (part === "{}" ? path : part)),
      );
  if (job === undefined) return `${generator}: compiled.`;
  const printed = await run(folder, job, variables);
  if (!printed.includes(expectedScore)) throw new Error(`the job printed ${printed.trim()}, not ${expectedScore}.`);
  return `${generator}: compiled, and stored, evaluated and scored a trace.`;
};

const report = async (name: string, step: () => Promise<string>): Promise<void> => {
  try {
    console.log(await step());
  } catch (error) {
    process.exitCode = 1;
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const { positionals } = parseArgs({ allowPositionals: true });
const chosen = languages.filter(({ generator }) => positionals.length === 0 || positionals.includes(generator));
if (positionals.length === 0) for (const linter of linters) await report(linter.packages[0] ?? "", () => lint(linter));
const missing = ["java", "mvn"].filter((program) => !isInstalled(program));
if (missing.length > 0) {
  console.log(`No client was generated, because ${missing.join(" and ")} is not installed.`);
} else {
  const artifact = `org.openapitools:openapi-generator-cli:${generatorVersion}`;
  await run(work, [
    "mvn",
    "--quiet",
    "--batch-mode",
    copyArtifact,
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${work}`,
  ]);
  const service = await startService();
  const variables = { ASSAY_URL: service.baseUrl, ASSAY_KEY: service.tenant.apiKey };
  for (const language of chosen) await report(language.generator, () => check(language, variables));
  await service.close();
}
rmSync(work, { recursive: true, force: true });
