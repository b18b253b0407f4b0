/** What a list has, page after page, up to a number. */
export const collected = async <Item>(list: AsyncIterable<Item>, most = 500): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length === most) break;
  }
  return items;
};
