import { Transform } from 'node:stream';
import { bodyStalled, bodyTooLarge } from './json-body.js';

/** Passes a body through; fails when it exceeds `maxBytes`, or when nothing arrives for `idleMs`. */
export class BoundedBody extends Transform {
  private size = 0;
  private timer: NodeJS.Timeout;

  constructor(
    private readonly maxBytes: number,
    idleMs: number,
  ) {
    super();
    // The reader receives the error. Without this listener, a client that disconnects before there is a reader would
    // end the process.
    this.on('error', () => undefined);
    this.timer = setTimeout(() => {
      this.destroy(bodyStalled(idleMs));
    }, idleMs);
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.size += chunk.length;
    this.timer.refresh();
    if (this.size > this.maxBytes) done(bodyTooLarge('maxRequestSize', this.maxBytes));
    else done(null, chunk);
  }

  override _final(done: () => void): void {
    clearTimeout(this.timer);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.timer);
    done(error);
  }
}
