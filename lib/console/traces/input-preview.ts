/** Patterns of the user's text in truncated JSON, which cannot be parsed: a user message, else a common field name. */
const textPatterns = [
  /"role"\s*:\s*"(?:user|human)"\s*,\s*"(?:content|text)"\s*:\s*"((?:[^"\\]|\\.)*)/u,
  /"(?:content|text|input|query|question|message|prompt|task)"\s*:\s*"((?:[^"\\]|\\.)*)/u,
];

/** Returns the user's text from a trace's input preview; the preview itself if it has none, empty if it is null. */
export const previewText = (preview: string | null | undefined): string => {
  if (preview === null || preview === undefined) return "";
  if (!/^[[{]/u.test(preview)) return preview;
  const match = textPatterns.map((pattern) => pattern.exec(preview)?.[1]).find((text) => text !== undefined);
  return match === undefined ? preview : match.replaceAll(/\\n/gu, " ").replaceAll(/\\(.)/gu, "$1");
};
