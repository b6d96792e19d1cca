import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../kernel/clock.js';
import { Type } from '../../kernel/json-schema.js';
import type { KeyedRequest } from '../../kernel/write-once.js';
import { principalOf } from './request-principal.js';

export const keyHeader = {
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422.',
      minLength: 1,
      maxLength: 255,
      examples: ['7f2c1d9a-import-0042'],
    }),
  ),
};

/** The headers of a route whose only header is the key. */
export const keyedHeaders = Type.Object(keyHeader);

/**
 * Returns the identity of a request that can be repeated; undefined without the header `Idempotency-Key`.
 * @param bodyDigest digest of the body; default: that of the JSON body
 */
export function keyedRequest(
  request: FastifyRequest,
  { clock }: { readonly clock: Clock },
  bodyDigest: string = request.context.bodyDigest ?? '',
): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  const { scheme, userName } = principalOf(request);
  const content = JSON.stringify([request.method, request.url, bodyDigest]);
  const fingerprint = createHash('sha256').update(content).digest('base64url');
  return { writer: { scheme, userName }, key, fingerprint, atMs: clock.nowMs() };
}
