/** Collects the first items of an async iterable into an array. */
export const collect = async <Item>(list: AsyncIterable<Item>, maxItems = 500): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length === maxItems) break;
  }
  return items;
};
