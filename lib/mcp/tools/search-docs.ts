import * as v from "valibot";
import { cursor, withDescription, word } from "../inputs.ts";
import { pageOfText } from "../text-pages.ts";
import { tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";

const places = v.array(v.tuple([v.string(), v.string(), v.string(), v.string()]));

/** How well a place fits a word: 2 in its title, 1 in its text, 0 without it. */
const fit = (title: string, text: string, query: string): number =>
  title.toLowerCase().includes(query) ? 2 : text.includes(query) ? 1 : 0;

const maxPlaces = 12;

export const searchDocs = tool(
  {
    name: "search_docs",
    description:
      "Searches the documentation of this service (query), or reads a page of it in Markdown (topic). Pages to begin with: set-up-tracing, " +
      "triage, make-a-metric, gate-a-release.",
    permission: null,
    input: v.pipe(
      v.strictObject({
        query: withDescription(v.optional(word), "Words, names of fields, paths or error codes."),
        topic: withDescription(
          v.optional(v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/u))),
          "A page that the search named.",
        ),
        cursor,
      }),
      v.check(({ query, topic }) => (query === undefined) !== (topic === undefined), "Give either query or topic."),
    ),
  },
  async ({ query = "", topic, cursor: start }, { readText, url }) => {
    if (topic !== undefined) {
      const page = pageOfText(await readText(`/docs/${topic}.md`), start);
      return { note: page.text, cursor: page.cursor };
    }
    const queryWords = query.toLowerCase().split(/\s+/u).slice(0, 20);
    const matches = v.parse(places, JSON.parse(await readText("/docs/search.json"))).flatMap((place) => {
      const fits = queryWords.map((each) => fit(place[2], place[3], each));
      return fits.includes(0) ? [] : [{ place, sum: fits.reduce((a, b) => a + b) }];
    });
    const best = matches.toSorted((a, b) => b.sum - a.sum).slice(0, maxPlaces);
    if (best.length === 0) throw new ToolError("No page has all of these words. Try fewer or other words.");
    const lines = best.map(
      ({ place: [page, id, title] }) =>
        `- ${title}: topic ${page === "" ? "start" : page}, ${url}/docs${page === "" ? "" : `/${page}`}#${id}`,
    );
    return { note: `${matches.length} places, the best first. Read one by its topic.\n${lines.join("\n")}` };
  },
);
