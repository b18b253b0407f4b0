import { getDocs } from "../../../lib/contract/openapi/documentation.ts";
import { passUnless, type Check } from "../check.ts";

export const root: Check = {
  title: "GET / redirects to the documentation page within the stage",
  run: async ({ baseUrl, anonymous }) => {
    const docsUrl = `${baseUrl}${getDocs.path}`;
    const problems: string[] = [];
    for (const path of ["", "/"]) {
      const { status, headers } = await anonymous.send({ method: "GET", path });
      const target = URL.parse(headers.location ?? "", baseUrl + path)?.href;
      if (status !== 302 || target !== docsUrl)
        problems.push(`${baseUrl}${path} answered ${status} with Location ${headers.location} instead of ${docsUrl}`);
    }
    const { status, headers, text } = await anonymous.call(getDocs);
    const isPage = status === 200 && headers["content-type"] === getDocs.media && text.trimEnd().endsWith("</html>");
    if (!isPage) problems.push(`${docsUrl} answered ${status} ${headers["content-type"]}`);
    return passUnless(problems, `${docsUrl}, ${Math.round(text.length / 1024)} KB`);
  },
};
