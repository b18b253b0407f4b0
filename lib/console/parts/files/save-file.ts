/** Lets the browser save parts of a file under a name. */
export const saveFile = (name: string, parts: readonly BlobPart[], type: string): void => {
  const href = URL.createObjectURL(new Blob([...parts], { type }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  URL.revokeObjectURL(href);
};
