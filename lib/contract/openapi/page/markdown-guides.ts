import { Marked } from "marked";
import { codeBlock, Html, html } from "./html.ts";
import { pageFiles } from "./page-files.ts";

/** A guide whose source is a file of the skill for coding agents. */
export interface MarkdownGuide {
  /** Topic of its page, and id of its section. */
  readonly topic: string;
  readonly title: string;
  /** Text in Markdown, with the URL of the service in place of the example's. */
  readonly text: (serviceUrl: string) => string;
}

/** Address of the service in the files, which are also read without a service. */
const exampleAddress = "https://assay.example.com";

/** Topic of the skill's first file; the others have the names of their files. */
const skillTopic = "skill";

const guideOf = ([path, file]: readonly [string, string]): MarkdownGuide => {
  const name = /^skill\/references\/(.+)\.md$/u.exec(path)?.[1] ?? skillTopic;
  return {
    topic: name,
    title: /^# (.+)$/mu.exec(file)?.[1] ?? name,
    // The pages lie in one folder.
    text: (serviceUrl) =>
      file
        .replaceAll("](references/", "](")
        .replaceAll("](../SKILL.md", `](${skillTopic}.md`)
        .replaceAll(exampleAddress, serviceUrl),
  };
};

/** Guides for people and agents, the skill's first file last. */
export const markdownGuides: readonly MarkdownGuide[] = Object.entries(pageFiles)
  .filter(([path]) => path.startsWith("skill/"))
  .map(guideOf)
  .toSorted((a, b) => Number(a.topic === skillTopic) - Number(b.topic === skillTopic) || (a.topic < b.topic ? -1 : 1));

const idOf = (heading: string): string => heading.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-");

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const words = new Html(this.parser.parseInline(tokens));
      return html` <h${depth + 1} id="${idOf(text)}">${words}</h${depth + 1}>`.text;
    },
    code: ({ text }) => codeBlock(text).text,
    link({ href, tokens }) {
      const target = href.replace(/^([a-z-]+)\.md$/u, "#$1");
      return html`<a href="${target}">${new Html(this.parser.parseInline(tokens))}</a>`.text;
    },
    html: ({ text }) => html`${text}`.text,
  },
});

/** Renders a guide as the section of a page. */
export const guideSection = (guide: MarkdownGuide, serviceUrl: string): Html => {
  const text = guide
    .text(serviceUrl)
    .replace(/^---\n.*?\n---\n/su, "")
    .replace(/^# .+$/mu, "");
  return html` <section id="${guide.topic}">
    <h2>${guide.title}</h2>
    ${new Html(markdown.parse(text, { async: false }))}
  </section>`;
};
