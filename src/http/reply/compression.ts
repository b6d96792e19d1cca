import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** Set when other responses may have the same body, which is then compressed once. */
    repeatedBody: RepeatedBody | undefined;
  }
}

/** Identifies a body that several responses share. */
export interface RepeatedBody {
  /** The bytes that the responses share. They do not change, and are kept for as long as they may be sent. */
  readonly bytes: Uint8Array;
  /** Text that encloses the bytes. */
  readonly frame: string;
}

/** Minimum size of a compressed response; a shorter one fits into one or two packets anyway. */
const minBytes = 1_024;

/**
 * Measured on pages of entries: a higher quality takes twice as long and saves only another tenth. The small window
 * limits the memory of a long response.
 */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 };
const gzipLevel = 4;
/** Maximum number of compressed bodies that are kept for the same bytes, in both encodings together. */
const maxFrames = 8;

/** The compressors. Both run in the thread pool, outside of the event loop. */
const compressors = {
  br: {
    whole: promisify(brotliCompress) as (body: Buffer, options: object) => Promise<Buffer>,
    options: { params: brotliParams },
    // Flushed output can be decoded immediately, so that a client shows the first entries while others are produced.
    stream: () => createBrotliCompress({ params: brotliParams, flush: constants.BROTLI_OPERATION_FLUSH }),
  },
  gzip: {
    whole: promisify(gzip) as (body: Buffer, options: object) => Promise<Buffer>,
    options: { level: gzipLevel },
    stream: () => createGzip({ level: gzipLevel, flush: constants.Z_SYNC_FLUSH }),
  },
} as const;
type Encoding = keyof typeof compressors;

/** Compressed bodies by encoding and frame, kept for as long as the uncompressed bytes. */
type Compressed = WeakMap<Uint8Array, Map<string, Promise<Buffer>>>;

/**
 * Compresses JSON for clients that ask for it.
 * @param uncompressed path prefixes whose responses contain secrets of their reader: the length of a compressed
 *   response would reveal whether a guess in the response equals the secret
 */
export function compressResponses(app: FastifyInstance, uncompressed: readonly string[]): void {
  const compressed: Compressed = new WeakMap();
  app.decorateReply('repeatedBody', undefined);
  const prefixes = uncompressed.map((one) => `${one}/`);
  app.addHook('onSend', (request, reply, payload, done) => {
    const encoding = encodingOf(request, reply, payload, prefixes);
    if (encoding !== undefined) return compress(reply, payload as Body, encoding, compressed);
    done(null, payload);
    return undefined;
  });
}

/**
 * Returns the encoding in which a body is sent; undefined for no compression. Sets `Vary` if the result depends on the
 * client.
 */
function encodingOf(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  uncompressed: readonly string[],
): Encoding | undefined {
  // A failure to compress the response to a write must not turn into an error, because the write has taken effect.
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  if (reply.statusCode !== 304 && !isCompressible(reply, payload)) return undefined;
  const path = `${request.context.route.url ?? ''}/`;
  if (uncompressed.some((prefix) => path.startsWith(prefix))) return undefined;
  addVary(reply);
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  const isSentUncompressed = request.method === 'HEAD' || isForAnotherSite(request) || !isCompressible(reply, payload);
  return isSentUncompressed ? undefined : encoding;
}

/**
 * Whether a page of another site sends the request with the session of the user. Such a page can request the response
 * repeatedly. An attacker who also writes entries and sees the lengths on the wire could then guess the other entries
 * in it.
 */
function isForAnotherSite({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] === 'cross-site' && headers.cookie !== undefined;
}

type Body = string | Buffer | Readable;

function isCompressible(reply: FastifyReply, payload: unknown): payload is Body {
  if (!String(reply.getHeader('content-type') ?? '').startsWith('application/json')) return false;
  // Files of entries are sent uncompressed, so that ranges of them can be requested.
  if (['content-encoding', 'content-disposition', 'accept-ranges'].some((name) => reply.hasHeader(name))) return false;
  if (payload instanceof Readable) return true;
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) >= minBytes;
}

async function compress(
  reply: FastifyReply,
  body: Body,
  encoding: Encoding,
  compressed: Compressed,
): Promise<Buffer | Readable> {
  reply.header('content-encoding', encoding);
  reply.removeHeader('content-length');
  // The compressed bytes differ from the uncompressed ones, and a strong tag would claim that they are equal.
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', `W/${etag}`);
  if (!(body instanceof Readable)) return compressOnce(body, encoding, reply.repeatedBody, compressed);
  const compressor = compressors[encoding].stream();
  // An error ends the response early, as without compression. A disconnect of the client ends the body.
  pipeline(body, compressor, () => undefined);
  return compressor;
}

/** Compresses a body once for all responses that share it: many screens request the same page after a new entry. */
function compressOnce(
  body: string | Buffer,
  encoding: Encoding,
  repeated: RepeatedBody | undefined,
  compressed: Compressed,
): Promise<Buffer> {
  const { whole, options } = compressors[encoding];
  const compressWhole = () => whole(Buffer.isBuffer(body) ? body : Buffer.from(body), options);
  if (!repeated) return compressWhole();
  const known = compressed.get(repeated.bytes) ?? new Map<string, Promise<Buffer>>();
  compressed.set(repeated.bytes, known);
  const key = `${encoding} ${repeated.frame}`;
  const found = known.get(key);
  if (found || known.size >= maxFrames) return found ?? compressWhole();
  const result = compressWhole();
  known.set(key, result);
  result.catch(() => known.delete(key));
  return result;
}

/** Returns the encoding that the client prefers; undefined when it names neither Brotli nor gzip. */
export function chooseEncoding(header: string | string[] | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const item of [header].flat().join(',').split(',')) {
    const [name = '', ...params] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = params.find((param) => param.startsWith('q='))?.slice(2);
    weights.set(name, quality === undefined ? 1 : Number.parseFloat(quality) || 0);
  }
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? 0;
  if (Math.max(weightOf('br'), weightOf('gzip')) <= 0) return undefined;
  return weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
}

/** Tells caches that the response depends on the encodings that the client accepts. */
function addVary(reply: FastifyReply): void {
  const names = String(reply.getHeader('vary') ?? '');
  if (/\baccept-encoding\b/i.test(names)) return;
  reply.header('vary', names === '' ? 'Accept-Encoding' : `${names}, Accept-Encoding`);
}
