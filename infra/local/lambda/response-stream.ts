import { Writable } from "node:stream";

const streaming = Symbol.for("aws.lambda.runtime.handler.streaming");
const preludeType = "application/vnd.awslambda.http-integration-response";
const delimiter = new Uint8Array(8);

/** The writable stream that a streaming handler receives for its reply. */
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

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    const { prelude } = this;
    this.prelude = undefined;
    this.#send(prelude === undefined ? chunk : Buffer.concat([Buffer.from(prelude), delimiter, chunk]));
    callback();
  }
}

/** The global `awslambda` of Lambda's Node.js runtime. */
export const awslambda = {
  streamifyResponse: <Handler extends object>(handler: Handler): Handler =>
    Object.assign(handler, { [streaming]: "response" }),
  HttpResponseStream: {
    /** Sets status and headers. As in Lambda, they are sent with the first byte of the body, and never without a body. */
    from: (stream: ResponseStream, prelude: unknown): ResponseStream => {
      stream.setContentType(preludeType);
      stream.prelude = JSON.stringify(prelude);
      return stream;
    },
  },
};

/** True if a handler was wrapped by `awslambda.streamifyResponse`. */
export const isStreaming = (handler: object): boolean => streaming in handler;
