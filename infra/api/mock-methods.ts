import { originPattern, preflightHeaders } from "../../lib/contract/cross-origin.ts";
import { errorBody, type FrontDoor, gatewayHeaders } from "./gateway-responses.ts";

/** A reply that the gateway makes without a function. */
interface Mock {
  readonly status: number;
  readonly description: string;
  /** Headers with a fixed value. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers whose value is an expression of a mapping template, after the statements that it needs. */
  readonly computed: Readonly<Record<string, string>>;
  readonly statements?: string;
  /** Headers that are set by such statements, under a condition. */
  readonly mayHave?: readonly string[];
  readonly body: string;
}

/** Characters of a header that is as short as what would stand for it. */
const longest = 80;

/** A mapping template is the only place that can compute a header of a mock's reply. */
const templateOf = ({ statements = "", computed, body }: Mock): string =>
  [
    statements,
    ...Object.entries(computed).map(
      ([name, expression]) => `#set($context.responseOverride.header.${name} = ${expression})\n`,
    ),
    body,
  ].join("");

const mockMethod = (mock: Mock, { shared = (text) => text }: FrontDoor) => ({
  responses: {
    [mock.status]: {
      description: mock.description,
      headers: Object.fromEntries(
        [...Object.keys({ ...mock.headers, ...mock.computed }), ...(mock.mayHave ?? [])].map((name) => [
          name,
          { schema: { type: "string" } },
        ]),
      ),
    },
  },
  security: [],
  "x-amazon-apigateway-integration": {
    type: "mock",
    // Templates see text only.
    contentHandling: "CONVERT_TO_TEXT",
    passthroughBehavior: "never",
    requestTemplates: { "application/json": JSON.stringify({ statusCode: mock.status }) },
    responses: {
      default: {
        statusCode: String(mock.status),
        responseParameters: Object.fromEntries(
          Object.entries(mock.headers ?? {}).map(([name, value]) => [
            `method.response.header.${name}`,
            value.length > longest ? shared(`'${value}'`) : `'${value}'`,
          ]),
        ),
        responseTemplates: { "application/json": shared(templateOf(mock)) },
      },
    },
  },
});

const requestId = { "X-Request-ID": "$context.requestId" };

/** Answers a method that the path does not have. No page reads it: a browser does not send what it was told that a path has not. */
export const methodNotAllowed = (allowed: readonly string[], door: FrontDoor) =>
  mockMethod(
    {
      status: 405,
      description: "Method Not Allowed",
      headers: { Allow: allowed.join(", "), ...gatewayHeaders(door) },
      computed: requestId,
      body: errorBody("Method Not Allowed", "method_not_allowed", door.address),
    },
    door,
  );

/**
 * Leads from the API's root to a path of it.
 *
 * The root is asked for as `/dev` and as `/dev/`, and as `/` behind a domain of one's own: a relative address would lose the
 * stage in the first case, so the path of the request is built upon, and the slash it may end in is taken out again.
 */
export const redirectTo = (path: string, door: FrontDoor) =>
  mockMethod(
    {
      status: 302,
      description: "Found",
      headers: gatewayHeaders(door),
      statements: `#set($target = "$context.path${path}")\n`,
      computed: { ...requestId, Location: '$target.replace("//", "/")' },
      body: "",
    },
    door,
  );

const allowOrigin = "Access-Control-Allow-Origin";

/** A header comes as it was sent: browsers write it in small letters over HTTP/2. */
const originOfRequest = [
  '#set($origin = $input.params().header.get("Origin"))',
  '#if(!$origin || $origin == "")#set($origin = $input.params().header.get("origin"))#end',
].join("\n");

/** Answers a browser that asks what a page may send to a path, before it sends it: nothing where its origin is not listed. */
export const preflight = (methods: readonly string[], door: FrontDoor) =>
  mockMethod(
    {
      status: 204,
      description: "What a page may send",
      headers: preflightHeaders(methods),
      computed: requestId,
      statements:
        `${originOfRequest}\n#if($origin.matches("${originPattern(door.origins)}"))` +
        `#set($context.responseOverride.header.${allowOrigin} = $origin)#end\n`,
      mayHave: [allowOrigin],
      body: "",
    },
    door,
  );
