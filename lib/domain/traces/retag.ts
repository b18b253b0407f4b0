import { sortedTags } from "../order.ts";

/** Tags to remove and then to add. */
export interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Tags after a change, each once and ordered: a tag that is removed and added is there. */
export const retagged = (tags: readonly string[], { add, remove }: TagChange): readonly string[] => {
  const removed = new Set(remove);
  return sortedTags([...tags.filter((tag) => !removed.has(tag)), ...add]);
};
