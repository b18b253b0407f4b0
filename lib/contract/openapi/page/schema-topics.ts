import type { OpenApiDocument } from "../openapi.ts";

const reference = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/gu;

/** Returns the names of the schemas that a part of the document uses, directly or through other components. */
const schemasIn = ({ components }: OpenApiDocument, part: unknown): ReadonlySet<string> => {
  const sections = new Map(
    Object.entries(components).map(([section, group]) => [section, new Map<string, unknown>(Object.entries(group))]),
  );
  const [names, visitedRefs] = [new Set<string>(), new Set<string>()];
  const collect = (value: unknown): void => {
    for (const [, section = "", name = ""] of JSON.stringify(value ?? null).matchAll(reference)) {
      const place = `${section}/${name}`;
      if (visitedRefs.has(place)) continue;
      visitedRefs.add(place);
      if (section === "schemas") names.add(name);
      collect(sections.get(section)?.get(name));
    }
  };
  collect(part);
  return names;
};

/**
 * Computes the documentation page of each named schema: the page of the resource that uses the schema, or a shared page.
 *
 * @param shared topic of the page for schemas used by several resources, or by none.
 * @returns topics by schema name.
 */
export const schemaTopics = (document: OpenApiDocument, shared: string): ReadonlyMap<string, string> => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const tagsBySchema = new Map<string, Set<string>>();
  for (const [tag = "", group] of Map.groupBy(operations, ({ tags }) => tags[0]))
    for (const name of schemasIn(document, group))
      tagsBySchema.set(name, (tagsBySchema.get(name) ?? new Set()).add(tag));
  return new Map(
    Object.keys(document.components.schemas).map((name) => {
      const [only = shared, ...otherTags] = tagsBySchema.get(name) ?? [];
      return [name, otherTags.length === 0 ? only : shared];
    }),
  );
};
