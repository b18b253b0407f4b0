import type { Destination } from "../../../../domain/destination.ts";
import { shellWord } from "../curl.ts";
import { pageFile } from "../page-files.ts";
import javaScript from "./javascript.json" with { type: "json" };
import python from "./python.json" with { type: "json" };
import { programSettings } from "./settings.ts";

interface ProgramRow {
  /** Last segment of the page's URL, and name of the program's file. */
  readonly topic: string;
  readonly name: string;
  /** Kind of environment variables that the program reads; `otlp` are those of any OpenTelemetry exporter. */
  readonly settings: keyof typeof programSettings;
  /** Further variables that its framework needs. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Packages with the versions that the program was tested with, as the installer spells them. */
  readonly packages: readonly string[];
  /** Call that sends what is queued, for functions that end or freeze after their reply. */
  readonly flush: string;
  /** Sentences on what the program's packages need or do not send, besides those of the settings. */
  readonly notes?: string;
}

/** A sample program that sends a trace, which `npm run vendors` runs as it is. */
export interface Program extends ProgramRow {
  readonly language: "JavaScript" | "Python";
  readonly code: string;
}

const programsOf = (language: Program["language"], files: `${string}*${string}`, rows: unknown): readonly Program[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a unit test reads each field of each row.
  (rows as readonly ProgramRow[]).map((row) =>
    Object.assign({ language, code: pageFile(files.replace("*", row.topic)).trimEnd() }, row),
  );

/** All sample programs, each with a page of its own. */
export const programs: readonly Program[] = [
  ...programsOf("JavaScript", "programs/javascript/*.mjs", javaScript),
  ...programsOf("Python", "programs/python/*.py", python),
];

/** Command that installs the packages of a program. */
export const installLine = ({ language, packages }: Program): string =>
  [
    language === "Python" ? "pip" : "npm",
    "install",
    ...packages.map((name) => (name.includes("[") ? shellWord(name) : name)),
  ].join(" ");

/** Environment variables with which a program sends its trace to a project. */
export const variablesOf = (
  { settings, variables }: Program,
  destination: Destination,
): Readonly<Record<string, string>> => ({
  ...variables,
  ...programSettings[settings].variables(destination),
});
