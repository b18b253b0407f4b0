/** One page of a list, as every list answers. */
export interface Page<Item> {
  readonly items: Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** A page of a list that has to be read whole to be counted. */
export const pageOf = async <Item>(all: AsyncIterable<Item>, limit: number, offset: number): Promise<Page<Item>> => {
  const items: Item[] = [];
  let total = 0;
  for await (const item of all) {
    if (total >= offset && items.length < limit) items.push(item);
    total += 1;
  }
  return { items, total, limit, offset };
};
