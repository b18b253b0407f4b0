import { mapConcurrently } from "../../async/concurrency.ts";
import type { JsonObject } from "../../domain/json.ts";
import { maskerOf } from "../../domain/masking/masker.ts";
import { Refusal } from "../../domain/refusal.ts";
import { telemetryNotes, type TelemetryNotes } from "../../domain/telemetry-notes.ts";
import type { Database } from "../../dynamo/database.ts";
import type { TelemetryCaller } from "../../http/exchange.ts";
import type { EvaluationResult } from "../../otlp/logs/evaluation-results.ts";
import type { ProjectGroup } from "../../otlp/traces/by-project.ts";
import type { PartialTrace } from "../../otlp/traces/traces-of.ts";
import type { MaskedTraces, StoringProject } from "../../store/traces/masked.ts";
import { storeEvaluations } from "../scores/store-evaluations.ts";
import { ingest, permanentFlaw } from "./ingest.ts";

/** Telemetry of one project as it is stored, with a reason for each item that cannot be. */
interface ConvertedTelemetry {
  readonly traces: readonly PartialTrace[];
  readonly rejections: readonly string[];
  readonly results: readonly EvaluationResult[];
}

/** Outcome of storing telemetry: a reason for each rejected item, and messages about accepted ones. */
interface StoreOutcome {
  readonly rejections: readonly string[];
  readonly warnings: readonly string[];
}

/** Max projects of a request; each is read, and some are created. */
export const maxProjects = 20;

export const tooManyProjects = `A request may name at most ${maxProjects} projects.`;

/** Returns the reason for which a project can never be used; throws any other error. */
export const flawOf = (error: unknown): string => {
  const flaw = error instanceof Refusal ? permanentFlaw(error) : null;
  if (flaw === null) throw error;
  return flaw;
};

/** Masks the resources of telemetry, whose ids are hashes of them. Equal ones stay one object. */
const withMaskedResources = <Each extends { readonly resource: JsonObject }>(
  items: readonly Each[],
  { masking }: StoringProject,
): readonly Each[] => {
  const masker = maskerOf(masking);
  if (masker === null) return items;
  const masked = new Map(
    Array.from(new Set(items.map(({ resource }) => resource)), (each) => [
      each,
      masker.entries(each, (key, value) => masker.entry(key, value, [])),
    ]),
  );
  return items.map((each) => ({ ...each, resource: masked.get(each.resource) ?? each.resource }));
};

/**
 * Stores telemetry in the projects that it names. Items of a project that cannot be used are rejected, and the others stored.
 *
 * @param convert converts the items of one project, and notes what it leaves out of them.
 * @throws Refusal of the project if no item is of a project that can be used; also as `ingest`.
 */
export const storeTelemetry = async <Each extends { readonly resource: JsonObject }>(
  database: Database,
  traces: Pick<MaskedTraces, "snapshots" | "saveKnown">,
  { projectFor, principal, keyAccess }: Pick<TelemetryCaller, "projectFor" | "principal" | "keyAccess">,
  groups: readonly ProjectGroup<Each>[],
  convert: (items: readonly Each[], notes: TelemetryNotes) => ConvertedTelemetry,
): Promise<StoreOutcome> => {
  const rejections = groups.slice(maxProjects).flatMap(({ items }) => items.map(() => tooManyProjects));
  const projects = await Promise.allSettled(groups.slice(0, maxProjects).map(({ project }) => projectFor(project)));
  const notes = telemetryNotes();
  const [first] = projects;
  if (first?.status === "rejected" && projects.every(({ status }) => status === "rejected")) throw first.reason;
  const outcomes = await mapConcurrently(projects.entries(), maxProjects, async ([at, project]) => {
    const sent = groups[at]?.items ?? [];
    if (project.status === "rejected")
      return { rejections: Array<string>(sent.length).fill(flawOf(project.reason)), warnings: [] };
    const items = withMaskedResources(sent, project.value);
    const converted = convert(items, notes);
    const refusals = await ingest(traces, project.value, converted.traces);
    const caller = { project: project.value, principal, keyAccess };
    const warnings = await storeEvaluations(database, caller, converted.results);
    return { rejections: [...converted.rejections, ...refusals], warnings };
  });
  return {
    rejections: [...rejections, ...outcomes.flatMap((outcome) => outcome.rejections)],
    warnings: [...notes.sentences(), ...outcomes.flatMap(({ warnings }) => warnings)],
  };
};
