import { Writable } from "node:stream";

const streaming = Symbol.for("aws.lambda.runtime.handler.streaming");
const preludeType = "application/vnd.awslambda.http-integration-response";
const delimiter = new Uint8Array(8);

/** The stream that a streaming handler writes its reply to. */
export class ResponseStream extends Writable {
  contentType: string | undefined;
  prelude: string | undefined;
  readonly #send: (data: Uint8Array) => void;

  constructor(send: (data: Uint8Array) => void) {
    super();
    this.#send = send;
  }

  setContentType(type: string): void {
    this.contentType = type;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.prelude !== undefined) {
      this.#send(Buffer.from(this.prelude));
      this.#send(delimiter);
      this.prelude = undefined;
    }
    this.#send(chunk);
    done();
  }
}

/** The global that Lambda's Node.js runtime gives to functions. */
export const awslambda = {
  streamifyResponse: <Handler extends object>(handler: Handler): Handler =>
    Object.assign(handler, { [streaming]: "response" }),
  HttpResponseStream: {
    /** Announces status and headers. As in Lambda, they leave with the first byte of the body, and not without one. */
    from: (stream: ResponseStream, prelude: unknown): ResponseStream => {
      stream.setContentType(preludeType);
      stream.prelude = JSON.stringify(prelude);
      return stream;
    },
  },
};

/** Whether a handler went through `awslambda.streamifyResponse`. */
export const isStreaming = (handler: object): boolean => streaming in handler;
