import { useSignal } from "@preact/signals";
import { plainText } from "./messages.ts";
import { plural } from "../format.ts";
import { Markdown } from "./markdown.tsx";

/** Characters of a value rendered at first: a megabyte of text would freeze the page. */
const initialCharacters = 4_000;

/** Text as Markdown or code; a button renders more of a long one. */
export const Text = ({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }) => {
  const maxCharacters = useSignal(initialCharacters);
  const visibleText = text.slice(0, maxCharacters.value);
  return (
    <>
      {isCode ? <pre class="data">{visibleText}</pre> : <Markdown text={visibleText} />}
      {text.length > maxCharacters.value && (
        <button type="button" class="quiet" onClick={() => (maxCharacters.value *= 8)}>
          {plural(text.length - maxCharacters.value, "more character")}
        </button>
      )}
    </>
  );
};

/** Input or output of a span: text as Markdown, other data as JSON. */
export const Content = ({ value }: { readonly value: unknown }) => {
  if (value === null || value === undefined) return <p class="faint">None</p>;
  const readableText = plainText(value);
  return readableText === null ? <Text text={JSON.stringify(value, null, 2)} isCode /> : <Text text={readableText} />;
};
