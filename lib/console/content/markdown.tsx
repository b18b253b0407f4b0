import { signal } from "@preact/signals";
import type * as MarkdownElements from "./markdown-elements.tsx";
import { TextWithMedia } from "./images.tsx";

/** The lexer and its elements, which are loaded when the first text is displayed; until then texts are displayed as they are. */
const loaded = signal<typeof MarkdownElements | null>(null);
let isRequested = false;

const load = async (): Promise<void> => {
  isRequested = true;
  try {
    loaded.value = await import("./markdown-elements.tsx");
  } catch (error) {
    // Texts stay readable without it.
    reportError(error);
  }
};

/** Renders Markdown as elements; HTML in the text is shown as text, and links lead to http and https addresses only. */
export const Markdown = ({ text }: { readonly text: string }) => {
  const elements = loaded.value;
  if (elements === null && !isRequested) void load();
  const plain = (
    <p class="plain">
      <TextWithMedia text={text} />
    </p>
  );
  return (
    <div class="words" dir="auto">
      {elements === null ? plain : <elements.MarkdownText text={text} plain={plain} />}
    </div>
  );
};
