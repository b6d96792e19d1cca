import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BlobStore, StagedBlob } from '../../attachments/blob-store.port.js';
import { BoundedBody } from '../../http/request/bounded-body.js';
import { sendContinue } from '../../http/request/deferred-continue.js';
import { bodyAborted } from '../../http/request/json-body.js';

export interface BodyLimits {
  readonly maxFileBytes: number;
  readonly maxRequestBytes: number;
  /** Time without data after which a request is aborted. */
  readonly idleMs: number;
}

/** Leaves the bodies of requests to `app` unread, whatever their type: the handlers read them as they arrive. */
export function leaveBodiesToHandlers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/**
 * Stages the body of a request as one file and runs `use` with it. If `use` does not commit the file, it is removed
 * afterwards.
 * @throws Fault too-large; timeout `request.timeout`; invalid `request.aborted`
 */
export async function withStagedBody<T>(
  { raw }: FastifyRequest,
  blobs: BlobStore,
  { maxFileBytes, maxRequestBytes, idleMs }: BodyLimits,
  use: (blob: StagedBlob) => Promise<T>,
): Promise<T> {
  sendContinue(raw);
  const body = new BoundedBody(maxRequestBytes, idleMs);
  raw.once('error', (error) => body.destroy(bodyAborted(error)));
  raw.once('close', () => {
    if (!raw.complete) body.destroy(bodyAborted(undefined));
  });
  raw.pipe(body);
  const blob = await blobs.stage(body, maxFileBytes).finally(() => raw.unpipe(body));
  try {
    return await use(blob);
  } finally {
    // A failure does not change the result of the request, because the next start removes the file.
    await blobs.discard(blob).catch(() => undefined);
  }
}
