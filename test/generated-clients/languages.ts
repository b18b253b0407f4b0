/** A program with its options, called in the folder of a generated client. */
type Command = readonly [program: string, ...options: readonly string[]];

/** A language whose client is generated from the OpenAPI document, compiled and, with a job, run. */
interface Language {
  /** Name of the generator of openapi-generator. */
  readonly generator: string;
  /** Options of the generator. */
  readonly options?: readonly string[];
  /** Names of files of this folder by their place in the client's folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Texts of further files by their place in the client's folder. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Compiles the client; `{}` in a command stands for each file of `sources` in turn. */
  readonly compile: readonly Command[];
  readonly sources?: string;
  /** Runs the main job: stores a trace, evaluates it and prints name and value of the score. Absent for languages that are compiled only. */
  readonly job?: Command;
}

/** Options of TypeScript for a client that Node.js runs. */
const typeScriptOptions = {
  compilerOptions: {
    target: "es2022",
    lib: ["es2022", "dom"],
    module: "commonjs",
    types: ["node"],
    typeRoots: [new URL("../../node_modules/@types", import.meta.url).pathname],
    strict: true,
    skipLibCheck: true,
    outDir: "out",
  },
  include: ["*.ts", "apis", "models"],
};

/** Options that leave out webhooks, for which the generator's files do not compile in some languages. */
const apiFiles = ["--global-property", "apis,models,supportingFiles"];

const mavenRun = "org.codehaus.mojo:exec-maven-plugin:3.5.0:java";

/** The languages, each with the options under which most constructs of the document can collide. */
export const languages: readonly Language[] = [
  {
    generator: "go",
    files: { "cmd/job/main.go": "jobs/job.go" },
    compile: [["go", "build", "./..."]],
    job: ["go", "run", "./cmd/job"],
  },
  {
    generator: "java",
    files: { "src/main/java/Job.java": "jobs/Job.java" },
    compile: [["mvn", "--quiet", "--batch-mode", "-Djava.version=17", "compile"]],
    job: ["mvn", "--quiet", "--batch-mode", "-Djava.version=17", mavenRun, "-Dexec.mainClass=Job"],
  },
  {
    generator: "python",
    options: apiFiles,
    files: { "job.py": "jobs/job.py" },
    compile: [
      ["python3", "-m", "venv", ".venv"],
      [".venv/bin/python", "-m", "pip", "install", "--quiet", "."],
      [".venv/bin/python", "-m", "compileall", "-q", "openapi_client"],
    ],
    job: [".venv/bin/python", "job.py"],
  },
  {
    generator: "typescript-fetch",
    options: apiFiles,
    files: { "job.ts": "jobs/job.ts" },
    texts: { "tsconfig.json": JSON.stringify(typeScriptOptions), "package.json": "{}" },
    compile: [[new URL("../../node_modules/.bin/tsc", import.meta.url).pathname, "-p", "."]],
    job: [process.execPath, "out/job.js"],
  },
  {
    generator: "rust",
    options: ["--additional-properties", "useSingleRequestParameter=true,supportAsync=false"],
    files: { "examples/job.rs": "jobs/job.rs" },
    compile: [["cargo", "check", "--quiet"]],
    job: ["cargo", "run", "--quiet", "--example", "job"],
  },
  {
    generator: "ruby",
    files: { "job.rb": "jobs/job.rb" },
    sources: "lib/**/*.rb",
    compile: [["ruby", "-c", "{}"]],
    job: ["ruby", "-I", "lib", "job.rb"],
  },
  {
    generator: "kotlin",
    files: { "pom.xml": "kotlin-pom.xml" },
    compile: [["mvn", "--quiet", "--batch-mode", "compile"]],
  },
  { generator: "csharp", compile: [["dotnet", "build", "--verbosity", "quiet", "src/Org.OpenAPITools"]] },
  { generator: "php", sources: "lib/**/*.php", compile: [["php", "-l", "{}"]] },
];

/** Linters of OpenAPI documents, from npm: their packages, and the call that fails if the document has an error. */
export const linters: readonly { readonly packages: readonly string[]; readonly call: Command }[] = [
  { packages: ["@redocly/cli@2.77.0"], call: ["node_modules/.bin/redocly", "lint", "openapi.json"] },
  { packages: ["@stoplight/spectral-cli@6.16.3"], call: ["node_modules/.bin/spectral", "lint", "openapi.json"] },
];
