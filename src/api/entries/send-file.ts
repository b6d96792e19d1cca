import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import type { Attachment } from '../../attachments/attachment.js';
import type { BlobStore } from '../../attachments/blob-store.port.js';
import { findCharset } from '../../attachments/find-charset.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { errorBody } from '../../http/reply/error-body.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import type { TextEncoding } from '../../kernel/text-encoding.js';

/** Types that a browser may display on request, because it does not run their content. */
const displayedInline = /^(?:image\/(?!svg)|video\/|audio\/|text\/plain$|application\/pdf$)/;

/** A range of bytes, both ends included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface FileQuery {
  /** Whether the browser may display the file instead of offering to save it. */
  readonly inline?: boolean;
}

/**
 * Sends a file of an entry: the whole file, a requested range, or 304 when the client already has it.
 * @param isPermanent whether this address always refers to this file, for all readers
 */
export async function sendFile(
  request: FastifyRequest<{ Querystring: FileQuery }>,
  reply: FastifyReply,
  blobs: BlobStore,
  file: Attachment,
  { isPermanent }: { readonly isPermanent: boolean },
): Promise<FastifyReply> {
  const etag = `"${file.checksum}"`;
  const setHeaders = (charset?: TextEncoding) =>
    setFileHeaders(reply, file, { etag, charset, inline: request.query.inline === true, isPermanent });
  if (matchesEntityTag(request.headers['if-none-match'], etag)) {
    return setHeaders().code(304).send();
  }
  const range = requestedRange(request, file.size, etag);
  if (range === 'unsatisfiable') return sendRangeError(request, reply, file.size);
  reply.server.admission.openResponse(reply, { isDownload: true });
  // The file is opened before any header is set, because an error must not have the headers of the file.
  const signal = clientDisconnected(reply);
  const charset = file.contentType.startsWith('text/') ? await findCharset(blobs, file, signal) : undefined;
  const content = await blobs.open(file, range, signal);
  setHeaders(charset);
  setRangeHeaders(reply, range, file.size);
  if (request.method !== 'HEAD') return reply.send(content);
  // Fastify would read the whole file for a HEAD request.
  content.destroy();
  return reply.send(Readable.from([]));
}

/** Returns the requested range of bytes; undefined for the whole file, and for a request with several ranges. */
function requestedRange(
  { headers }: FastifyRequest<{ Querystring: FileQuery }>,
  size: number,
  etag: string,
): ByteRange | undefined | 'unsatisfiable' {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const ranges = parseRange(size, range);
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
}

function sendRangeError({ url }: { readonly url: string }, reply: FastifyReply, size: number): FastifyReply {
  const message = `The requested range is outside the file, which has ${size} bytes.`;
  return reply
    .code(416)
    .type('application/json; charset=utf-8')
    .header('content-range', `bytes */${size}`)
    .send(errorBody({ status: 416, code: 'attachment.bad-range', message }, url, undefined));
}

interface FileHeaders {
  readonly etag: string;
  /** Undefined for a file that is not text. */
  readonly charset: TextEncoding | undefined;
  readonly inline: boolean;
  readonly isPermanent: boolean;
}

function setFileHeaders(
  reply: FastifyReply,
  { filename, contentType }: Attachment,
  { etag, charset, inline, isPermanent }: FileHeaders,
): FastifyReply {
  const type = inline && displayedInline.test(contentType) ? 'inline' : 'attachment';
  return reply.type(charset === undefined ? contentType : `${contentType}; charset=${charset}`).headers({
    etag,
    'content-disposition': contentDisposition(filename, { type, fallback: toAsciiName(filename) }),
    'cache-control': isPermanent ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    'accept-ranges': 'bytes',
    'content-security-policy':
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
  });
}

/** Replacements for characters that do not decompose into an ASCII letter with an accent. */
const inAscii: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ł: 'l', Ł: 'L', ı: 'i' },
  // The signs of micro, ohm, degree, times and euro, and the Greek letters that look like the first two.
  ...{
    '\u00b5': 'u',
    '\u03bc': 'u',
    '\u2126': 'Ohm',
    '\u03a9': 'Ohm',
    '\u00b0': 'deg',
    '\u00d7': 'x',
    '\u20ac': 'EUR',
  },
  ...{ '\u2013': '-', '\u2014': '-', '\u2018': "'", '\u2019': "'" },
};

/**
 * Returns the file name in ASCII, for programs that support nothing else, such as `curl -OJ`. It contains no quotation
 * marks, backslashes or percent signs, because some programs truncate the name at them and others decode it.
 */
function toAsciiName(filename: string): string {
  const plain = filename.replace(/[^\x00-\x7f]/gu, (char) => inAscii[char] ?? char).normalize('NFKD');
  return plain.replace(/\p{M}/gu, '').replace(/[^\x20-\x7e]|["\\%]/gu, '_');
}

function setRangeHeaders(reply: FastifyReply, range: ByteRange | undefined, size: number): FastifyReply {
  if (!range) return reply.header('content-length', size);
  const { start, end } = range;
  return reply
    .code(206)
    .headers({ 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': end - start + 1 });
}
