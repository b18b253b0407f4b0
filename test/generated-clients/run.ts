/**
 * Entry point of `node test/generated-clients/run.ts`: generates clients in five languages from the OpenAPI document and compiles each
 * whose compiler is installed. Needs Java, Maven and the network; a missing program is reported and is no failure.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiDocument } from "../../lib/contract/openapi/document.ts";
import { routes } from "../../lib/contract/routes.ts";

/** A language whose client is generated from the OpenAPI document, and how the client is compiled. */
interface Language {
  /** Name of the generator of openapi-generator. */
  readonly generator: string;
  /** Options of the generator. */
  readonly options?: string;
  /** Pattern of the files that the compiler is called for, one by one; absent if one call compiles the client. */
  readonly files?: string;
  readonly compiler: readonly [program: string, ...options: readonly string[]];
}

/** The languages, each with the options under which most constructs of the document can collide. */
const languages: readonly Language[] = [
  { generator: "rust", options: "useSingleRequestParameter=true", compiler: ["cargo", "check", "--quiet"] },
  { generator: "kotlin", compiler: ["mvn", "--quiet", "--batch-mode", "compile"] },
  { generator: "csharp", compiler: ["dotnet", "build", "--verbosity", "quiet", "src/Org.OpenAPITools"] },
  { generator: "ruby", files: "lib/**/*.rb", compiler: ["ruby", "-c"] },
  { generator: "php", files: "lib/**/*.php", compiler: ["php", "-l"] },
];

const generatorVersion = "7.25.0";
const copyArtifact = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";

const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

/** Runs a program in a folder. @throws Error with its output if it fails. */
const run = (folder: string, program: string, options: readonly string[]): void => {
  const { status, stdout, stderr } = spawnSync(program, options, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${program} failed in ${folder}:\n${stdout.slice(-8000)}${stderr.slice(-8000)}`);
};

const work = mkdtempSync(join(tmpdir(), "generated-clients-"));
const jar = join(work, `openapi-generator-cli-${generatorVersion}.jar`);
const documentFile = join(work, "openapi.json");

/** Generates and compiles the client of a language. @returns what was done, a sentence. @throws Error if either fails. */
const check = ({ generator, options, files, compiler: [program, ...flags] }: Language): string => {
  const folder = join(work, generator);
  const properties = options === undefined ? [] : ["--additional-properties", options];
  run(work, "java", ["-jar", jar, "generate", "-g", generator, "-i", documentFile, "-o", folder, ...properties]);
  if (!isInstalled(program)) return `${generator}: generated, but not compiled, because ${program} is not installed.`;
  if (generator === "kotlin") copyFileSync(new URL("kotlin-pom.xml", import.meta.url), join(folder, "pom.xml"));
  const calls = files === undefined ? [[]] : globSync(files, { cwd: folder }).map((path) => [path]);
  for (const call of calls) run(folder, program, [...flags, ...call]);
  return `${generator}: generated, and compiled by ${program}.`;
};

const missing = ["java", "mvn"].filter((program) => !isInstalled(program));
if (missing.length > 0) {
  console.log(`No client was generated, because ${missing.join(" and ")} is not installed.`);
} else {
  const artifact = `org.openapitools:openapi-generator-cli:${generatorVersion}`;
  run(work, "mvn", ["--quiet", "--batch-mode", copyArtifact, `-Dartifact=${artifact}`, `-DoutputDirectory=${work}`]);
  writeFileSync(documentFile, JSON.stringify(openApiDocument(routes)));
  for (const language of languages) {
    try {
      console.log(check(language));
    } catch (error) {
      process.exitCode = 1;
      console.error(`${language.generator}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
rmSync(work, { recursive: true, force: true });
