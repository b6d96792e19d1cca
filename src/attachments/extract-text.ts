import type { Readable } from 'node:stream';
import { decodeHTML } from 'entities';
import { decodeText } from '../kernel/text-encoding.js';
import { nextRound } from '../kernel/time-slice.js';
import { encodingOf } from './detect-encoding.js';
import { textKindOf } from './media-type.js';
import { defaultLimits, type TextLimits } from './text-limits.js';

/**
 * Extracts the text of an attachment, on one line, for a search index. Returns '' when the file contains none, is of an
 * unsupported type, damaged, encrypted or too large. Damaged pages of a PDF are skipped.
 *
 * The bytes read and the length of the result are limited, and for a PDF the pages and the time. The time is checked
 * between pages and between the chunks of a page; between two checks, a hostile PDF can block the thread and unpack to
 * far more memory than its size. Untrusted files must therefore be processed in a process that can be killed.
 *
 * It throws no error because of the content of a file. Errors of `open` and of its stream are passed on, so that an
 * unreadable file does not count as empty. `open` is called only for a supported type; its stream is then read to its
 * end or destroyed.
 */
export async function extractText(
  open: () => Promise<Readable>,
  contentType: string,
  limits: Partial<TextLimits> = {},
): Promise<string> {
  const { maxBytes, maxChars, maxPages, timeLimitMs } = { ...defaultLimits, ...limits };
  const endMs = { processor: processorTimeMs() + timeLimitMs, clock: performance.now() + timeLimitMs };
  const kind = textKindOf(contentType);
  if (kind === undefined) return '';
  const bytes = await readAll(await open(), maxBytes);
  if (bytes === undefined) return '';
  if (kind === 'text') return normalizeText(decode(bytes), maxChars);
  if (kind === 'markup') return normalizeText(withoutMarkup(decode(bytes)), maxChars);
  return normalizeText(await pdfText(bytes, maxChars, maxPages, endMs), maxChars);
}

async function readAll(content: Readable, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  // Not Buffer.concat, whose result may be part of the shared pool: PDF.js transfers the whole underlying buffer.
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function decode(bytes: Uint8Array): string {
  return decodeText(bytes, encodingOf(bytes));
}

/**
 * Matches CDATA, comments, elements whose content is not text, tags and declarations. An unterminated part extends to
 * the end, and a tag contains no `<`, so nothing is scanned twice: hostile input takes linear time.
 */
const markup =
  /<!\[CDATA\[(.*?)(?:\]\]>|$)|<!--.*?(?:-->|$)|<(script|style)(?=[\s/>])(?:[^<>]*?\/>|.*?(?:<\/\2\s{0,9}>|$))|<\/?([a-z][^\s<>/]{0,50})(?:[\s/][^<>]*?)?>|<[!?][^<>]*?>/gis;
/** Tags that may be inside a word. All others separate words. */
const inWord = /^(?:a|abbr|b|bdi|bdo|big|code|em|font|i|mark|s|small|span|strong|sub|sup|u|wbr)$/i;

function withoutMarkup(source: string): string {
  const text = source.replace(markup, (_match, data?: string, _skipped?: string, tag?: string) => {
    return data ?? (tag !== undefined && inWord.test(tag) ? '' : ' ');
  });
  return decodeHTML(text);
}

/** The used part of PDF.js. The types of the package do not resolve from an ES module. */
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

/** Handles promises that PDF.js leaves unhandled for damaged files. Without a handler, Node would end the process. */
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
    // Extracting text needs no glyphs, so no fonts are loaded or searched for.
    disableFontFace: true,
    useSystemFonts: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
  });
}

/**
 * End times, both of which must have passed. On a busy machine, the process gets little processor time; on an idle one,
 * several threads use it up quickly.
 */
interface EndTimes {
  readonly processor: number;
  readonly clock: number;
}

function processorTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function pdfText(bytes: Uint8Array, maxChars: number, maxPages: number, endMs: EndTimes): Promise<string> {
  const loading = await loadPdf(bytes);
  let text = '';
  const isDone = () =>
    text.length >= maxChars || (processorTimeMs() >= endMs.processor && performance.now() >= endMs.clock);

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
    await nextRound();
    process.off('unhandledRejection', ignore);
  }
  return text;
}

/**
 * Matches words. A word of more than 1,000 characters matches in adjacent parts, because only bounded repeats are safe
 * in a text of any size.
 */
const wordParts = /[^\s\x00-\x1f\x7f-\x9f]{1,1000}/g;
/** Matches runs of letters and digits that are too long for words, such as a Base64 image in a notebook. */
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
    // Cuts within a word if no space is near, because some scripts have no spaces between words.
    line = line.slice(0, space > maxChars - 200 ? space : maxChars).replace(/[\ud800-\udbff]$/, '');
  }
  return line.trim().toWellFormed();
}
