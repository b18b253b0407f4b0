import { useSignal } from "@preact/signals";
import { plural } from "../format.ts";
import { messageText } from "./chat.ts";
import { jsonOf, parseText } from "./json.ts";
import { JsonTree } from "./json-tree.tsx";
import { Markdown } from "./markdown.tsx";

/** Characters of a value rendered at first: a megabyte of text would freeze the page. */
const initialCharacters = 4_000;

/** Max characters that are read as Markdown; a longer text is shown as it is. */
const maxMarkdown = 64_000;

/** Text as Markdown or code; a button renders more of a long one. */
export const Text = ({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }) => {
  const maxCharacters = useSignal(initialCharacters);
  const visibleText = text.slice(0, maxCharacters.value);
  return (
    <>
      {isCode || visibleText.length > maxMarkdown ? (
        <pre class="data">{visibleText}</pre>
      ) : (
        <Markdown text={visibleText} />
      )}
      {text.length > maxCharacters.value && (
        <button type="button" class="quiet" onClick={() => (maxCharacters.value *= 8)}>
          {plural(text.length - maxCharacters.value, "more character")}
        </button>
      )}
    </>
  );
};

/** Data of a span: a text or message as Markdown, other data as a tree, so that no text loses its key. */
export const Content = ({ value }: { readonly value: unknown }) => {
  if (value === null || value === undefined) return <p class="faint">None</p>;
  const json = parseText(jsonOf(value));
  const readableText = messageText(json);
  return readableText === null ? <JsonTree value={json} /> : <Text text={readableText} />;
};
