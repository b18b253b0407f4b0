import { expect, test } from "vitest";
import { parseSettings } from "../../../../infra/settings/settings.ts";

const emails = ["team@example.com"];
const webhook = { url: "https://hooks.example.com/a", secret: { name: "assay/a", header: "X-Secret" } };
const withUrl = (url: string) => ({ a: { webhook: { ...webhook, url } } });
const withSecret = (secret: unknown) => ({ a: { webhook: { ...webhook, secret } } });

test("a destination has addresses, a webhook or both, also as text of the command line", () => {
  const notifications = {
    a: { emails, webhook, body: { id: "<detail.id>" } },
    "b-2": { emails, body: "<id>\n<time>" },
  };

  expect(parseSettings({ notifications: JSON.stringify(notifications) })).toMatchObject({
    notifications,
    explicitSettings: { notifications },
  });
});

test.each<[unknown, string]>([
  [[], "notifications must be an object"],
  [{}, "notifications must not be empty"],
  [{ Team: { emails } }, "notifications.Team must be named by 1 to 20 lower-case letters"],
  [{ a: {} }, "notifications.a must have emails, a webhook or both"],
  [{ a: { emails, kind: [] } }, "notifications.a.kind is not a setting (did you mean kinds?)"],
  [{ a: { emails: [] } }, "notifications.a.emails must not be empty"],
  [{ a: { emails: ["team"] } }, "notifications.a.emails.0 must be an e-mail address"],
  [{ a: { emails: [...emails, ...emails] } }, "notifications.a.emails must not name one twice"],
  [{ a: { emails, kinds: ["alert.raise"] } }, "must be a kind of event (did you mean alert.raised?)"],
  [{ a: { emails, kinds: ["everything"] } }, "must be one of run.completed, "],
  [withUrl("http://hooks.example.com/a"), "notifications.a.webhook.url must be a public https URL"],
  [withUrl("https://me:word@hooks.example.com/a"), "must be a public https URL without credentials"],
  [withUrl("https://localhost/a"), "must be a public https URL"],
  [withUrl("https://hooks.example.com/*"), "and no *"],
  [withUrl("https://hooks.slack.com/services/T0/B0/x"), "must not be a secret, which would be in the template"],
  [withSecret({ name: "assay/a" }), "must name either the header or the field"],
  [withSecret({ name: "assay/a", header: "A", field: "a" }), "must name either the header or the field"],
  [
    withSecret({ name: "Bearer xoxb-1", header: "A" }),
    "must be the name of a secret in Secrets Manager, never the secret",
  ],
  [withSecret({ name: "a:b", header: "A" }), "must be the name of a secret in Secrets Manager"],
  [withSecret({ name: "assay/a", header: "Content-Type" }), "is a header that EventBridge sets itself"],
  [{ a: { webhook: { ...webhook, method: "PUT" } } }, "notifications.a.webhook.method is not a setting"],
  [{ a: { webhook, body: "text" } }, "must have an object as body, since a webhook is sent JSON"],
  [{ a: { emails, body: ["x"] } }, "notifications.a.body must be text or an object"],
  [{ a: { emails, body: "see <https://example.com>" } }, "body must have < and > only around a path in the event"],
  [{ a: { emails, body: { x: [{ y: "a < b" }] } } }, "body must have < and > only around a path in the event"],
  [{ a: { emails, body: { "<id>": 1 } } }, "body must not have < or > in the name of a field"],
  [{ a: { emails, body: "x".repeat(9000) } }, "body must have 8192 characters and 100 paths at most"],
  [
    Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`a${at}`, { emails }])),
    "notifications must have 10 destinations at most",
  ],
])("notifications %j are refused in a sentence", (notifications, sentence) => {
  expect(() => parseSettings({ notifications })).toThrow(sentence);
});
