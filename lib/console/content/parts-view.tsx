import type { ContentPart } from "./chat.ts";
import { Content, Text } from "./content.tsx";
import { StoredImage } from "./images.tsx";

/** Parts of a message: texts, pictures, and data as trees. */
export const PartsView = ({ parts }: { readonly parts: readonly ContentPart[] }) => (
  <>
    {parts.map((part) => {
      if (part.type === "text") return <Text text={part.text} />;
      return part.type === "image" ? <StoredImage url={part.url} title="" /> : <Content value={part.value} />;
    })}
  </>
);
