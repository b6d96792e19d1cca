import contentDisposition from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import type { Attachment } from '../../attachments/attachment.js';
import type { BlobStore } from '../../attachments/blob-store.port.js';
import { errorBody } from '../../http/reply/error-body.js';
import { matchesEntityTag } from '../../http/reply/etag.js';

/** Types that a browser shows without running anything in them; all else is offered for saving. */
const shownInPlace = /^(?:image\/(?!svg)|video\/|audio\/|text\/plain$|application\/pdf$)/;

/** Sends a file of an entry, whole or the range that was asked for. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  blobs: BlobStore,
  file: Attachment,
): Promise<FastifyReply> {
  const etag = `"${file.checksum}"`;
  const ifRange = request.headers['if-range'];
  const asked = ifRange === undefined || ifRange === etag ? request.headers.range : undefined;
  const ranges = asked === undefined ? -2 : parseRange(file.size, asked);
  if (ranges === -1) {
    const message = `The file has ${file.size} bytes; the range lies outside.`;
    return reply
      .code(416)
      .type('application/json; charset=utf-8')
      .header('content-range', `bytes */${file.size}`)
      .send(errorBody({ status: 416, code: 'attachment.bad-range', message }, request.url, undefined));
  }
  const known = matchesEntityTag(request.headers['if-none-match'], etag);
  const [range] = ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 ? [] : ranges;
  // Before any header: an error is not to be kept like the file.
  const content = known ? undefined : await blobs.open(file.checksum, range);
  const type = shownInPlace.test(file.contentType) ? 'inline' : 'attachment';
  reply.type(file.contentType.startsWith('text/') ? `${file.contentType}; charset=utf-8` : file.contentType).headers({
    etag,
    'content-disposition': contentDisposition(file.filename, { type }),
    'cache-control': 'private, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    'content-security-policy':
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
  });
  if (content === undefined) return reply.code(304).send();
  if (range) {
    reply.code(206).headers({
      'content-range': `bytes ${range.start}-${range.end}/${file.size}`,
      'content-length': range.end - range.start + 1,
    });
  } else {
    reply.header('content-length', file.size);
  }
  return reply.send(content);
}
