import type { ComponentChildren } from "preact";

/**
 * Inline Markdown: code, bold, emphasis, and links, of which only http and https ones match. No part of a link may contain
 * what begins another one, so that the search is linear.
 */
const inline =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|!?\[([^[\]\n]*)\]\((https?:\/\/[^\s()[]+)\)|(https?:\/\/[^\s<>"')\]]+)/gu;

const lineOf = (text: string): readonly ComponentChildren[] => {
  const nodes: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(inline)) {
    const [matchText, code, bold, emphasis, label, target, url] = match;
    nodes.push(text.slice(end, match.index));
    end = match.index + matchText.length;
    if (code !== undefined) nodes.push(<code>{code}</code>);
    else if (bold !== undefined) nodes.push(<strong>{bold}</strong>);
    else if (emphasis !== undefined) nodes.push(<em>{emphasis}</em>);
    else {
      const href = target ?? url ?? "";
      nodes.push(
        <a href={href} rel="noreferrer noopener" target="_blank">
          {label === undefined || label === "" ? href : label}
        </a>,
      );
    }
  }
  nodes.push(text.slice(end));
  return nodes;
};

const blockOf = (block: string, key: number): ComponentChildren => {
  const codeBlock = /^```[^\n]*\n([\s\S]*?)\n?```$/u.exec(block);
  if (codeBlock !== null) return <pre class="data">{codeBlock[1]}</pre>;
  const heading = /^#{1,6} (.+)$/u.exec(block);
  if (heading !== null) return <p class="heading">{lineOf(heading[1] ?? "")}</p>;
  const lines = block.split("\n");
  if (lines.every((line) => /^\s*(?:[-*]|\d+\.) /u.test(line)))
    return (
      <ul>
        {lines.map((line) => (
          <li>{lineOf(line.replace(/^\s*(?:[-*]|\d+\.) /u, ""))}</li>
        ))}
      </ul>
    );
  return (
    <p key={key}>
      {lines.map((line, at) => (
        <>
          {at > 0 && <br />}
          {lineOf(line)}
        </>
      ))}
    </p>
  );
};

/** Renders the subset of Markdown that models write as elements; HTML in the text is shown as text. */
export const Markdown = ({ text }: { readonly text: string }) => {
  const blocks = text.match(/```[^\n]*(?:\n[\s\S]*?(?:```|$))?|(?:(?!```)[^\n]+\n?)+/gu) ?? [];
  return (
    <div class="words" dir="auto">
      {blocks.map((block, at) => blockOf(block.replace(/\n$/u, ""), at))}
    </div>
  );
};
