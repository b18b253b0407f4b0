import { sortedTags } from "../text.ts";

/** A change of tags: tags in `remove` are removed first, then those in `add` are added. */
export interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Applies a change to tags; the result is distinct and ordered. */
export const applyTagChange = (tags: readonly string[], { add, remove }: TagChange): readonly string[] => {
  const removed = new Set(remove);
  return sortedTags([...tags.filter((tag) => !removed.has(tag)), ...add]);
};
