const listAt = (metadata: Readonly<Record<string, unknown>>, key: string): readonly unknown[] => {
  const value = metadata[key];
  return Array.isArray(value) ? value : [];
};

const numberAt = (value: unknown, key: string): number => {
  const number: unknown = Object(value)[key];
  return typeof number === "number" ? number : 0;
};

/**
 * Returns what the exporter of a span left out by its limits, of the span and of its events and links, in words: `3 attributes, 1 event`;
 * null for nothing.
 */
export const droppedParts = (metadata: Readonly<Record<string, unknown>>): string | null => {
  const { "otel.others": others } = metadata;
  const within = [...listAt(metadata, "otel.events"), ...listAt(metadata, "otel.links")];
  const attributes = [others, ...within].reduce<number>((sum, each) => sum + numberAt(each, "dropped_attributes"), 0);
  const counts = {
    attribute: attributes,
    event: numberAt(others, "dropped_events"),
    link: numberAt(others, "dropped_links"),
  };
  const words = Object.entries(counts).flatMap(([noun, count]) =>
    count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"}`],
  );
  return words.length === 0 ? null : words.join(", ");
};
