import type { ComponentChildren } from "preact";

/** Max characters of a data URL that is shown as an image. */
const maxImageCharacters = 4_000_000;

/** Data URLs of bitmaps. No SVG, which has links and scripts of its own. */
const bitmapUrl = /^data:image\/(?:png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}$/u;

/** True if a text is a data URL of a bitmap that the page may show: it causes no request. */
export const isBitmapUrl = (url: string): boolean => url.length <= maxImageCharacters && bitmapUrl.test(url);

/** True for the address of a web page or file, the only kind that becomes a link. */
export const isWebUrl = (url: string): boolean => /^https?:\/\/[^\s]+$/iu.test(url);

/** Link to a foreign page, which is not told where the reader comes from. */
export const ForeignLink = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a href={href} rel="noreferrer noopener" target="_blank">
    {children}
  </a>
);

/** Image stored in a trace as a data URL. An image at an address is a link: it is never requested. */
export const StoredImage = ({ url, title }: { readonly url: string; readonly title: string }) => {
  if (isBitmapUrl(url)) return <img class="stored" src={url} alt={title === "" ? "Image of the trace" : title} />;
  if (isWebUrl(url)) return <ForeignLink href={url}>{title === "" ? url : title} (image)</ForeignLink>;
  return <span class="faint">[image{title !== "" && `: ${title}`}]</span>;
};

/** References to media that Langfuse's SDKs upload beside a trace. */
const mediaReference = /@@@langfuseMedia:type=([^|@\n]{1,100})\|[^@\n]{0,300}@@@/gu;

/** Text in which references to media are notes, as the media themselves are not stored. */
export const TextWithMedia = ({ text }: { readonly text: string }) => {
  const nodes: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(mediaReference)) {
    nodes.push(text.slice(end, match.index), <span class="tag">Media, not stored ({match[1]})</span>);
    end = match.index + match[0].length;
  }
  return (
    <>
      {nodes}
      {text.slice(end)}
    </>
  );
};
