import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeHTML } from 'entities';
import { textKindOf } from './media-type.js';

/** What one attachment may cost. Past a limit there is less text, never an error. */
export interface TextLimits {
  /** A larger file has no text. */
  readonly maxBytes: number;
  /** Of the text (UTF-16 code units, as in `length`); the rest is cut off, between words where there are any. */
  readonly maxChars: number;
  /** Of a PDF; the pages after it are not read. */
  readonly maxPages: number;
  /** For a PDF, from the call on; what was read by then is the text. */
  readonly timeLimitMs: number;
}

export const defaultLimits: TextLimits = {
  maxBytes: 50 * 1_048_576,
  maxChars: 1_000_000,
  maxPages: 2_000,
  timeLimitMs: 20_000,
};

/**
 * The words inside an attachment, on one line, for a search index: '' where there are none, the kind is not read, or
 * the file is damaged, encrypted or too large. Of a PDF with damaged pages, the others are read.
 *
 * Bounded: the bytes read, the length of the result, and of a PDF the pages and the time. The time is looked at between
 * pages and between the pieces of a page; a hostile PDF can keep the thread busy, and unpack to far more memory than
 * its size, between two looks. So whoever runs this for strangers does so in a thread of its own, and ends that.
 *
 * Nothing in the bytes makes it throw. What `open` and its stream throw is passed on: such a file is not empty, it was
 * not read. `open` is called only for a kind that is read; its stream is at its end or destroyed afterwards.
 */
export async function extractText(
  open: () => Promise<Readable>,
  contentType: string,
  limits: Partial<TextLimits> = {},
): Promise<string> {
  const { maxBytes, maxChars, maxPages, timeLimitMs } = { ...defaultLimits, ...limits };
  const deadlineMs = performance.now() + timeLimitMs;
  const kind = textKindOf(contentType);
  if (kind === undefined) return '';
  const bytes = await readAll(await open(), maxBytes);
  if (bytes === undefined) return '';
  if (kind === 'text') return normalizeText(decode(bytes), maxChars);
  if (kind === 'markup') return normalizeText(withoutMarkup(decode(bytes)), maxChars);
  return normalizeText(await pdfText(bytes, maxChars, maxPages, deadlineMs), maxChars);
}

/** The same, as a thread is asked for it. */
export function extractTextOf(file: {
  readonly chunks: readonly Uint8Array[];
  readonly contentType: string;
}): Promise<string> {
  return extractText(async () => Readable.from(file.chunks), file.contentType);
}

async function readAll(content: Readable, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  // Not Buffer.concat: the PDF reader takes the memory behind it for itself.
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** What windows-1252 has where Latin-1 has control characters, from 0x80 on. Node 20 decodes the one as the other. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer)
      .toString('latin1')
      .replace(/[\x80-\x9f]/g, (char) => windows1252.charAt(char.charCodeAt(0) - 0x80));
  }
}

/** CDATA, comments, elements whose content is no text, tags, declarations. Each part is read once, whatever comes. */
const markup =
  /<!\[CDATA\[(.*?)(?:\]\]>|$)|<!--.*?(?:-->|$)|<(script|style)(?=[\s/>])(?:[^<>]*?\/>|.*?(?:<\/\2\s{0,9}>|$))|<\/?([a-z][^\s<>/]{0,50})(?:[\s/][^<>]*?)?>|<[!?][^<>]*?>/gis;
/** Tags that may stand within a word. All others end it. */
const inWord = /^(?:a|abbr|b|bdi|bdo|big|code|em|font|i|mark|s|small|span|strong|sub|sup|u|wbr)$/i;

function withoutMarkup(source: string): string {
  const text = source.replace(markup, (_match, data?: string, _skipped?: string, tag?: string) => {
    return data ?? (tag !== undefined && inWord.test(tag) ? '' : ' ');
  });
  return decodeHTML(text);
}

/** What is used of PDF.js, of which the package's own types do not resolve from an ES module. */
interface PdfJs {
  getDocument(options: Record<string, unknown>): { promise: Promise<PdfDocument>; destroy(): Promise<void> };
}
interface PdfDocument {
  readonly numPages: number;
  getPage(pageNumber: number): Promise<PdfPage>;
}
interface PdfPage {
  streamTextContent(): ReadableStream<{ readonly items: readonly { str: string; hasEOL: boolean }[] }>;
  cleanup(): void;
}

/** Of a damaged file, PDF.js leaves some failures to nobody; Node would end the thread for them. */
function ignore(): void {}

async function loadPdf(bytes: Uint8Array): Promise<ReturnType<PdfJs['getDocument']>> {
  // Loaded when needed: the module is large, and most attachments are not PDF files.
  const { getDocument } = (await import('unpdf/pdfjs')) as unknown as PdfJs;
  return getDocument({
    data: bytes,
    verbosity: 0,
    isEvalSupported: false,
    useWasm: false,
    useWorkerFetch: false,
    // Text needs no glyphs: nothing is drawn, and no font file is searched for.
    disableFontFace: true,
    useSystemFonts: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
  });
}

async function pdfText(bytes: Uint8Array, maxChars: number, maxPages: number, deadlineMs: number): Promise<string> {
  const loading = await loadPdf(bytes);
  let text = '';
  const isDone = () => text.length >= maxChars || performance.now() >= deadlineMs;

  async function readPage(pdf: PdfDocument, pageNumber: number): Promise<void> {
    const page = await pdf.getPage(pageNumber);
    const chunks = page.streamTextContent().getReader();
    for (let chunk = await chunks.read(); !chunk.done && !isDone(); chunk = await chunks.read()) {
      for (const item of chunk.value.items) text += item.hasEOL ? `${item.str}\n` : item.str;
    }
    text += '\n';
    page.cleanup();
  }

  process.on('unhandledRejection', ignore);
  try {
    const pdf = await loading.promise;
    for (let page = 1; page <= Math.min(pdf.numPages, maxPages) && !isDone(); page += 1) {
      // A damaged page must not end the extraction of the others.
      await readPage(pdf, page).catch(ignore);
    }
  } catch {
    // Not a PDF, or encrypted: no text.
  } finally {
    await loading.destroy().catch(ignore);
    // Node emits unhandledRejection after the current turn of the event loop.
    await nextTurn();
    process.off('unhandledRejection', ignore);
  }
  return text;
}

/**
 * Matches words; those above 1,000 characters as adjacent parts, because only bounded repeats are safe in a text of any
 * size.
 */
const wordParts = /[^\s\x00-\x1f\x7f-\x9f]{1,1000}/g;
/** Matches long runs of letters and digits, such as a Base64 image in a notebook: no real word is this long. */
const encodedData = /(?<![\w+/=-])[\w+/=-]{200,}/g;

/** Puts the text on one line of at most `maxChars`, without control characters and encoded data. */
function normalizeText(text: string, maxChars: number): string {
  let line = '';
  let end = 0;
  for (const { 0: part, index } of text.matchAll(wordParts)) {
    if (index > end && line !== '') line += ' ';
    line += part.replace(encodedData, '');
    end = index + part.length;
    if (line.length > maxChars) break;
  }
  if (line.length > maxChars) {
    const space = line.lastIndexOf(' ', maxChars);
    // Not every script has spaces between words.
    line = line.slice(0, space > maxChars - 200 ? space : maxChars).replace(/[\ud800-\udbff]$/, '');
  }
  return line.trim().toWellFormed();
}
