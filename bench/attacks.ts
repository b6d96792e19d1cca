import { deflateSync } from 'node:zlib';
import type { Request } from './load.js';
import { basic, createEntryWithFiles } from './requests.js';

/** Requests of a hostile client, from its own address or as its own user, on many connections. */
export interface Attack {
  readonly name: string;
  readonly connections: number;
  /** Maximum number of requests of each connection. */
  readonly maxRequests: number;
  /** Sends what the attack needs. */
  prepare?(send: (request: Request) => Promise<string>): Promise<void>;
  request(index: number): Request;
}

const attacker = { ...basic('admin:adminPass'), 'x-forwarded-for': '10.66.66.66' };

const get = (path: string): Request => ({
  method: 'GET',
  path: `/logbook${path}`,
  headers: { 'x-forwarded-for': '10.66.66.66' },
  body: [],
});

function sendJson(method: string, path: string, json: unknown): Request {
  const body = Buffer.from(JSON.stringify(json));
  const headers = { ...attacker, 'content-type': 'application/json', 'content-length': String(body.length) };
  return { method, path: `/logbook${path}`, headers, body: [body] };
}

const entry = (title: string, source: string) => ({ title, source, logbooks: [{ name: 'operations' }] });
const create = (title: string, source: string) => sendJson('PUT', '/logs?markup=none', entry(title, source));
const differentWords = (start: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${start}${at.toString(36)}`).join(' ');
/** Text without the words that the good client searches for, whose result pages would consist of this text. */
const megabyteOfText = 'reading of this device '.repeat(43_000);

/** A PDF whose page expands to 300 MB. */
function pdfBomb(): Buffer {
  const content = deflateSync(Buffer.alloc(300 * 1_048_576, '(x) Tj '));
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
  ].map((object, at) => Buffer.from(`${at + 1} 0 obj${object}endobj\n`));
  return Buffer.concat([
    Buffer.from('%PDF-1.4\n'),
    ...objects,
    Buffer.from(`4 0 obj<</Filter/FlateDecode/Length ${content.length}>>stream\n`),
    content,
    Buffer.from(
      '\nendstream endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n',
    ),
  ]);
}

export const attacks: readonly Attack[] = [
  {
    name: 'unknown file names',
    connections: 20,
    maxRequests: 200,
    async prepare(send) {
      await send(create('versions', megabyteOfText));
      // The entry is edited under the id that the good client reads.
      for (let edit = 0; edit < 30; edit++)
        await send(sendJson('POST', '/logs/1', entry(`edit ${edit}`, megabyteOfText)));
    },
    request: (index) => get(`/logs/attachments/1/unknown-${index}.png`),
  },
  {
    name: 'lists of templates and tags',
    connections: 10,
    maxRequests: 50,
    async prepare(send) {
      for (let at = 0; at < 60; at++)
        await send(sendJson('PUT', '/templates', entry(`template ${at}`, megabyteOfText)));
      for (let at = 0; at < 10; at++) {
        const tags = Array.from({ length: 1_000 }, (_, number) => ({ name: `tag ${at}-${number}` }));
        await send(sendJson('PUT', '/tags', tags));
      }
    },
    request: (index) => get(['/templates', '/tags', '/configuration'][index % 3] ?? ''),
  },
  {
    name: 'PDF files that expand',
    connections: 3,
    maxRequests: 2,
    request(index) {
      const request = createEntryWithFiles(index, 1, Buffer.alloc(0));
      const [first, entryPart, head, , , last] = request.body as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
      const named = Buffer.from(
        String(head)
          .replace(/\.bin"/, '.pdf"')
          .replace('application/octet-stream', 'application/pdf'),
      );
      const json = Buffer.from(String(entryPart).replaceAll('.bin"', '.pdf"'));
      const body = [first, json, named, bomb(), last];
      const length = body.reduce((sum, chunk) => sum + chunk.length, 0);
      return { ...request, headers: { ...request.headers, ...attacker, 'content-length': String(length) }, body };
    },
  },
  {
    name: 'words and wildcards',
    connections: 10,
    maxRequests: 500,
    async prepare(send) {
      for (let at = 0; at < 20; at++) await send(create(`words ${at}`, differentWords(`w${at}x`, 20_500)));
    },
    request: (index) => get(`/logs/search?query=w*${index % 10}* -x${index}&size=1`),
  },
  {
    name: 'a flood of searches',
    connections: 60,
    maxRequests: 500,
    // Each search differs: a repeated one would be answered from memory.
    request: (index) =>
      get(`/logs/search?query="reading of this device of" -x${index}&fuzzy=true&sort=relevance&explain=true&size=1`),
  },
  {
    name: 'reads of one entry',
    connections: 100,
    maxRequests: 200,
    request: () => get('/logs/2'),
  },
  {
    name: 'long writes',
    connections: 20,
    maxRequests: 50,
    request: (index) => create(`long ${index}`, megabyteOfText),
  },
  {
    name: 'RSS feeds',
    connections: 30,
    maxRequests: 100,
    request: () => get('/logs/rss?title=long&size=15'),
  },
  {
    name: 'pages of 1,000 entries',
    connections: 20,
    maxRequests: 20,
    request: () => get('/logs?size=1000'),
  },
];

let made: Buffer | undefined;
function bomb(): Buffer {
  made ??= pdfBomb();
  return made;
}
