/** Where the words of a message or of a form lie in the JSON that a list shows the beginning of. */
const said = [
  /"role"\s*:\s*"(?:user|human)"\s*,\s*"(?:content|text)"\s*:\s*"((?:[^"\\]|\\.)*)/u,
  /"(?:content|text|input|query|question|message|prompt|task)"\s*:\s*"((?:[^"\\]|\\.)*)/u,
];

/** The first words of what a trace was asked, out of the beginning of its input; empty where there are none. */
export const firstWords = (preview: string | null | undefined): string => {
  if (preview === null || preview === undefined) return "";
  if (!/^[[{]/u.test(preview)) return preview;
  const words = said.map((pattern) => pattern.exec(preview)?.[1]).find((text) => text !== undefined);
  return words === undefined ? preview : words.replaceAll(/\\n/gu, " ").replaceAll(/\\(.)/gu, "$1");
};
