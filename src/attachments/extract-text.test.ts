import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compressed, pdf, shown, stream } from '../../test/fixtures/pdf.js';
import { extractText } from './extract-text.js';
import { mayHoldText } from './media-type.js';
import type { TextLimits } from './text-limits.js';

afterEach(() => vi.restoreAllMocks());

const textOf = (content: Buffer | string, contentType: string, limits?: Partial<TextLimits>) =>
  extractText(async () => Readable.from([Buffer.from(content)]), contentType, limits);
const pdfTextOf = (content: Buffer, limits?: Partial<TextLimits>) => textOf(content, 'application/pdf', limits);

describe('text', () => {
  const sentence = 'Größe des Strahls: 3 µm';

  it.each([
    ['UTF-8', Buffer.from(sentence)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${sentence}`)],
    ['little-endian UTF-16', Buffer.from(`\ufeff${sentence}`, 'utf16le')],
    ['big-endian UTF-16', Buffer.from(`\ufeff${sentence}`, 'utf16le').swap16()],
    ['Latin-1', Buffer.from(sentence, 'latin1')],
  ])('%s is decoded', async (_encoding, content) => {
    expect(await textOf(content, 'text/plain')).toBe(sentence);
  });

  it('text that is not UTF-8 is decoded as windows-1252, quotation marks and euro sign included', async () => {
    expect(await textOf(Buffer.from('\x93caf\xe9\x94 3 \x80', 'latin1'), 'text/plain')).toBe('“café” 3 €');
  });

  it.each(['text/csv', 'application/json', 'application/geo+json; charset=utf-8', 'text/x-log', 'TEXT/PLAIN'])(
    '%s is used unchanged',
    async (contentType) => {
      expect(mayHoldText(contentType)).toBe(true);
      expect(await textOf('{"valve <b>": 3}', contentType)).toBe('{"valve <b>": 3}');
    },
  );

  it('white space and control characters become one space', async () => {
    expect(await textOf('\n one\r\n\ttwo\0three\u0085 ', 'text/plain')).toBe('one two three');
  });

  it('encoded data of any length is omitted, and the text around it stays', async () => {
    const image = randomBytes(3_000_000).toString('base64');
    expect(await textOf(`{"image": "${image}", "title": "vacuum"}`, 'application/json')).toMatch(
      /^\{"image": "\S{0,200}", "title": "vacuum"\}$/,
    );
    const checksum = randomBytes(64).toString('hex');
    expect(await textOf(checksum, 'text/plain')).toBe(checksum);
  });
});

describe('markup', () => {
  it('tags, comments, scripts and styles are omitted, and character references are resolved', async () => {
    const page = `<!DOCTYPE html><html><head><title>Shift report</title><style>p { color: red }</style>
      <script>if (a < b) document.write('<p>hidden</p>')</script></head>
      <body><!-- not <b>this</b> --><p class="a">R&eacute;sum&#233; &amp; more</p><script src="x.js"/></body></html>`;
    expect(await textOf(page, 'text/html')).toBe('Shift report Résumé & more');
  });

  it('blocks and cells separate words, emphasis does not', async () => {
    expect(await textOf('<td>H<sub>2</sub>O</td><td>N<b>it</b>rogen</td><br>end', 'text/html')).toBe(
      'H2O Nitrogen end',
    );
  });

  it.each(['application/xml', 'text/xml', 'image/svg+xml'])(
    'the text and the CDATA of %s are extracted',
    async (contentType) => {
      const source =
        '<?xml version="1.0"?><a:b x="no"><style:c>one<![CDATA[two <three>]]></style:c></a:b><style/><d>four</d>';
      expect(await textOf(source, contentType)).toBe('onetwo <three> four');
    },
  );

  it.each(['<', '<a', '<a ', '<!', '<!--', '<script', '<script>', '<![CDATA[', '</script ', '&', '&#'])(
    'many of %j, and a long text after one, take linear time',
    async (piece) => {
      for (const source of [piece.repeat(1_000_000), piece + 'x'.repeat(3_000_000)]) {
        expect(typeof (await textOf(source, 'text/html'))).toBe('string');
      }
    },
  );
});

describe('PDF', () => {
  it('pages are read in order, compressed or not', async () => {
    const content = pdf([stream(shown('Vacuum pump')), compressed(shown('second \\(2\\) page'))]);
    expect(await pdfTextOf(content)).toBe('Vacuum pump second (2) page');
  });

  it('words on two lines are separated', async () => {
    expect(await pdfTextOf(pdf([stream(`${shown('first', 700)} ${shown('second', 680)}`)]))).toBe('first second');
  });

  it('an encrypted, empty, random or truncated file has no text', async () => {
    const content = pdf([stream(shown('Vacuum pump'))]);
    const locked = pdf([stream(shown('Vacuum pump'))], {
      encrypt: `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`,
    });
    const half = content.subarray(0, content.length / 2);
    for (const damaged of [locked, Buffer.of(), randomBytes(5_000), Buffer.from('%PDF-1.7\n'), half]) {
      expect(await pdfTextOf(damaged)).toBe('');
    }
  });

  it('a damaged page is skipped', async () => {
    const content = compressed(shown('never seen')).fill(0xff, 45);
    expect(await pdfTextOf(pdf([stream(shown('one')), content, stream(shown('three'))]))).toBe('one three');
    // The cross-reference table has a wrong position for the contents of the second page.
    const pages = pdf([stream(shown('one')), stream(shown('two')), stream(shown('three'))]).toString('latin1');
    expect(await pdfTextOf(Buffer.from(pages.replace('7 0 obj', '7 0xobj')))).toBe('one three');
  });

  it('a file without a readable page does not crash the thread', async () => {
    const content = pdf([stream(shown('one')), stream(shown('two'))]).toString('latin1');
    // The cross-reference table points to something else.
    const damaged = content.replace('4 0 obj', '4 0xobj').replace('6 0 obj', '6 0xobj');
    expect(await extractInThread(Buffer.from(damaged))).toBe('');
  });
});

describe('limits', () => {
  const pages = Array.from({ length: 20 }, (_, index) => stream(shown(`page${index + 1}.`)));

  it('maxBytes: a larger file has no text and is not read to its end', async () => {
    expect(await textOf('12345', 'text/plain', { maxBytes: 5 })).toBe('12345');
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1_000, 'a');
      })(),
    );
    expect(await extractText(async () => endless, 'text/plain', { maxBytes: 10_000 })).toBe('');
    expect(endless.destroyed).toBe(true);
  });

  it('maxChars: the text is cut between words if possible, never within a character', async () => {
    expect(await textOf('alpha beta gamma', 'text/plain', { maxChars: 12 })).toBe('alpha beta');
    expect(await textOf('alpha beta', 'text/plain', { maxChars: 10 })).toBe('alpha beta');
    expect(await textOf('真空ポンプ'.repeat(1_000), 'text/plain', { maxChars: 1_000 })).toHaveLength(1_000);
    expect(await textOf('😀'.repeat(300), 'text/plain', { maxChars: 401 })).toBe('😀'.repeat(200));
    expect(await pdfTextOf(pdf(pages), { maxChars: 12 })).toBe('page1.');
  });

  it('maxPages: only the first pages are read', async () => {
    expect(await pdfTextOf(pdf(pages), { maxPages: 2 })).toBe('page1. page2.');
  });

  it('timeLimitMs: the text is what was read until then', async () => {
    let [user, now] = [0, 0];
    vi.spyOn(process, 'cpuUsage').mockImplementation(() => {
      user += 1_000_000;
      return { user, system: 0 };
    });
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1_000;
      return now;
    });
    const text = await pdfTextOf(pdf(pages), { timeLimitMs: 20_000 });
    expect(text).toMatch(/^page1\. page2\./);
    expect(text).not.toContain('page20.');
  });
});

it('files of unsupported types are not opened', async () => {
  for (const contentType of ['image/png', 'application/octet-stream', 'application/zip', '']) {
    expect(mayHoldText(contentType)).toBe(false);
    expect(await extractText(() => Promise.reject(new Error('opened')), contentType)).toBe('');
  }
});

it('a read error is passed on: the file may have text', async () => {
  const lost = new Error('disk');
  await expect(extractText(() => Promise.reject(lost), 'text/plain')).rejects.toBe(lost);
  const breaking = new Readable({ read: () => breaking.destroy(lost) });
  await expect(extractText(async () => breaking, 'application/pdf')).rejects.toBe(lost);
});

/** Extracts the text in a worker thread; rejects when the thread has ended 50 ms later. */
function extractInThread(content: Buffer): Promise<unknown> {
  const script = `
    import { Readable } from 'node:stream';
    import { setTimeout } from 'node:timers/promises';
    import { parentPort, workerData } from 'node:worker_threads';
    const { extractText } = await import(workerData.module);
    const text = await extractText(async () => Readable.from([workerData.content]), 'application/pdf');
    await setTimeout(50);
    parentPort.postMessage(text);`;
  const module = new URL('./extract-text.js', import.meta.url).href;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
    workerData: { module, content },
  });
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`thread ended with ${code}`)));
  });
}
