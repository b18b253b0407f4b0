import { clientOfFile, savePages } from "../parts/files/file-requests.ts";

/** Stores the items of a file in a dataset and returns their number. @throws Error for another kind of file */
export const importItems = async (dataset_id: string, file: File): Promise<number> => {
  const sender = await clientOfFile(file, "items");
  const { items } = await sender.createDatasetItems({ path: { dataset_id }, body: { items: [] } });
  return items.length;
};

/** Saves the items of a dataset as a file of NDJSON, which can be imported. */
export const exportItems = (dataset_id: string): Promise<void> =>
  savePages(dataset_id, "ndjson", (reader, query) => reader.listDatasetItems({ path: { dataset_id }, query }));
