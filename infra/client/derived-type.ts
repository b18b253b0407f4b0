import { objectText, type Properties } from "./schema-type.ts";

/** A named object type of the client. */
export interface NamedType {
  readonly name: string;
  readonly properties: Properties;
}

/** Minimum number of lines that a reference to another type must save. */
const minSaving = 5;

/** Returns a type without the omitted properties, as `Omit` or `Pick`, whichever names fewer properties. */
const partOf = (typeName: string, sharedNames: readonly string[], omittedNames: readonly string[]): string => {
  if (omittedNames.length === 0) return typeName;
  const isPick = sharedNames.length < omittedNames.length;
  const names = (isPick ? sharedNames : omittedNames).map((name) => JSON.stringify(name)).join(" | ");
  return `${isPick ? "Pick" : "Omit"}<${typeName}, ${names}>`;
};

/** Returns the intersection of a type and an object type; the type alone if the object type has no properties. */
export const intersection = (type: string, properties: readonly string[]): string =>
  properties.length === 0 ? type : `${type} & ${objectText(properties)}`;

/**
 * Returns the text of an object type, by reference to the earlier type with which it has most lines in common: one that it
 * contains, or one that has most of its properties. Without such a type, or if it would save little, the text is in full.
 */
export const derivedType = (properties: Properties, earlierTypes: readonly NamedType[]): string => {
  const candidates = earlierTypes.flatMap((base) => {
    const isShared = (name: string): boolean => base.properties.get(name) === properties.get(name);
    const sharedNames = [...base.properties.keys()].filter(isShared);
    const omittedNames = [...base.properties.keys()].filter((name) => !isShared(name));
    const otherTexts = [...properties].filter(([name]) => !sharedNames.includes(name)).map(([, text]) => text);
    const isContained = omittedNames.length === 0;
    if (!isContained && sharedNames.length <= otherTexts.length) return [];
    const reference = partOf(base.name, sharedNames, omittedNames);
    const isEqual = isContained && otherTexts.length === 0;
    const sharedText = sharedNames.map((name) => base.properties.get(name)).join("\n");
    const saving = sharedText.split("\n").length - Math.ceil(reference.length / 100);
    return isEqual || saving >= minSaving ? [{ text: intersection(reference, otherTexts), saving }] : [];
  });
  const [best] = candidates.toSorted((a, b) => b.saving - a.saving);
  return best?.text ?? objectText(properties.values());
};
