import { getDocs } from "../../../lib/contract/openapi/documentation.ts";
import { judged, type Question } from "../question.ts";

export const root: Question = {
  title: "GET / leads to the documentation within the stage, which is a page",
  ask: async ({ baseUrl, nobody }) => {
    const wanted = `${baseUrl}${getDocs.path}`;
    const found: string[] = [];
    for (const path of ["", "/"]) {
      const { status, headers } = await nobody.send({ method: "GET", path });
      const target = URL.parse(headers.location ?? "", baseUrl + path)?.href;
      if (status !== 302 || target !== wanted)
        found.push(`${baseUrl}${path} answered ${status} with Location ${headers.location} in place of ${wanted}`);
    }
    const { status, headers, text } = await nobody.call(getDocs);
    const isPage = status === 200 && headers["content-type"] === getDocs.media && text.trimEnd().endsWith("</html>");
    if (!isPage) found.push(`${wanted} answered ${status} ${headers["content-type"]}`);
    return judged(found, `${wanted}, ${Math.round(text.length / 1024)} KB`);
  },
};
