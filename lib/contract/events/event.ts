import * as v from "valibot";
import { withMicroseconds } from "../../domain/instant.ts";
import { replyInstant, uuid } from "../schema/fields.ts";

/** Adds a description to a schema. */
export const described = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.pipe(schema, v.description(description));

/** Schema of an instant in an event: stored instants get microseconds. */
export const eventInstant = v.pipe(v.string(), v.transform(withMicroseconds), replyInstant);

/** Version of the schemas. Fields are added within a version, never renamed, retyped or removed. */
export const eventVersion = 1;

/** Fields of every event. */
const envelope = {
  id: described(uuid, "Id of the event. An event that is delivered again has the same id."),
  version: described(v.literal(eventVersion), "Version of the schema. Fields may be added within a version."),
  stage: described(v.string(), "Name of the deployment: several may share an event bus."),
  organization_id: uuid,
  project_id: described(v.nullable(uuid), "Null for an event that belongs to no project."),
  time: described(eventInstant, "Time of the decision that the event is about."),
  url: described(v.string(), "Address of the console's page about it, in the project."),
};

/** Ids and times of the schemas' examples. */
export const exampleId = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
export const exampleTime = "2026-11-21T09:00:00.000000+00:00";

const exampleEnvelope = {
  id: exampleId(1),
  version: eventVersion,
  stage: "prod",
  organization_id: exampleId(2),
  project_id: exampleId(3),
  time: exampleTime,
};

/**
 * Defines a kind of events.
 *
 * @param title name of the schema in the OpenAPI document.
 * @param description sentence about what happened.
 * @param fields fields beside those of every event. They hold ids, names and numbers, no text of traces.
 * @param example values of the fields, and the console's page.
 */
export const eventKind = <const Fields extends v.ObjectEntries>(
  title: string,
  description: string,
  fields: Fields,
  { page, ...example }: Readonly<Record<string, unknown>> & { readonly page: string },
) => {
  const schema = v.object({ ...envelope, ...fields });
  const query = example["project_id"] === null ? "" : `?project=${exampleEnvelope.project_id}`;
  const url = `https://assay.example.com/console#/${page}${query}`;
  return v.pipe(
    schema,
    v.title(title),
    v.description(description),
    // Parsed, so that an example with a wrong field fails at once.
    v.examples([v.parse(schema, { ...exampleEnvelope, url, ...example })]),
  );
};
