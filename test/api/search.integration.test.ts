import { once } from 'node:events';
import { connect } from 'node:net';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { call, TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start();
});
afterAll(() => logbook?.stop());

const search = (params: Record<string, string>) => logbook.get(`/logs/search?${new URLSearchParams(params)}`);
const idsOf = async (params: Record<string, string>) => (await logbook.search(String(new URLSearchParams(params)))).ids;

describe('explain=true', () => {
  beforeAll(async () => {
    await logbook.create({ title: 'Quadrupole trip', source: 'The quadrupoles tripped at night.', level: 'Problem' });
    await logbook.create({ title: 'Vacuum leak', source: 'Pressure in quadrant 3.', level: 'Info' });
  });
  const explain = async (params: Record<string, string>) => (await search({ ...params, explain: 'true' })).body;

  test.each(['not yet', 'all'])(
    'reports for each part its interpretation, matches and expansion (indexed: %s)',
    async (indexed) => {
      if (indexed === 'all') await logbook.service.searchIndex.waitUntilIndexed();
      const { explain: explained, hitCount } = await explain({
        text: 'quad* "at night"',
        query: 'trip -vacuum is:reply',
        level: 'prob*,urgent',
      });
      expect(hitCount).toBe(0);
      expect(explained.parts).toEqual([
        {
          parameter: 'text',
          value: 'quad*',
          interpretedAs: 'wildcard',
          excluded: false,
          hitCount: 2,
          expansion: { count: 3, terms: expect.arrayContaining(['quadrupole', 'quadrupoles', 'quadrant']) },
        },
        { parameter: 'text', value: 'at night', interpretedAs: 'phrase', excluded: false, hitCount: 1 },
        { parameter: 'query', value: 'trip', interpretedAs: 'word', excluded: false, hitCount: 1 },
        { parameter: 'query', value: 'vacuum', interpretedAs: 'word', excluded: true, hitCount: 1 },
        {
          parameter: 'level',
          value: 'prob*, urgent',
          interpretedAs: 'values',
          excluded: false,
          hitCount: 1,
          expansion: { count: 1, terms: ['problem'] },
        },
        { parameter: 'query', value: 'reply', interpretedAs: 'flag', excluded: false, hitCount: 0 },
      ]);
      expect(explained.unmatchedPart).toBe(5);
    },
  );

  test('reports the unmatched part, also when each part matches alone', async () => {
    expect((await explain({ text: 'tripped', title: 'leak' })).explain).toMatchObject({
      parts: [
        { parameter: 'title', hitCount: 1 },
        { parameter: 'text', hitCount: 1 },
      ],
      unmatchedPart: 1,
    });
  });

  test.each(['not yet', 'all'])(
    'suggests existing words and values with a similar spelling (indexed: %s)',
    async (indexed) => {
      if (indexed === 'all') await logbook.service.searchIndex.waitUntilIndexed();
      expect((await explain({ text: 'qudrupoles', level: 'Problen' })).explain.parts).toMatchObject([
        { value: 'qudrupoles', hitCount: 0, suggestions: ['quadrupoles', 'quadrupole'] },
        { value: 'problen', hitCount: 0, suggestions: ['Problem'] },
      ]);
    },
  );

  test('reports the time window with its zone', async () => {
    const { explain: explained } = await explain({ start: '2024-03-01 14:30', tz: 'Europe/Berlin' });
    expect(explained.window).toEqual({
      start: '2024-03-01T13:30:00.000Z',
      end: null,
      zone: 'Europe/Berlin',
      includeEvents: true,
    });
  });

  test('is absent unless requested', async () => {
    for (const params of [{}, { explain: 'false' }, { explain: '' }]) {
      expect(Object.keys((await search({ text: 'leak', ...params } as Record<string, string>)).body)).toEqual([
        'hitCount',
        'logs',
      ]);
    }
  });
});

describe('/logs/facets', () => {
  const own = 'facetted';
  beforeAll(async () => {
    await logbook.create({ source: own, level: 'Problem', logbooks: [{ name: 'operations' }, { name: 'controls' }] });
    await logbook.create({ source: own, tags: [{ name: 'alarm' }] }, '', { as: 'admin:adminPass' });
    await logbook.create({ source: own });
  });
  const facets = (params: Record<string, string>) => logbook.get(`/logs/facets?${new URLSearchParams(params)}`);

  test('counts the values of the matching entries, before and after they are indexed', async () => {
    const expected = {
      hitCount: 3,
      logbooks: {
        distinct: 2,
        values: [
          { name: 'operations', count: 3 },
          { name: 'controls', count: 1 },
        ],
      },
      tags: { distinct: 1, values: [{ name: 'alarm', count: 1 }] },
      owners: {
        distinct: 2,
        values: [
          { name: 'user', count: 2 },
          { name: 'admin', count: 1 },
        ],
      },
    };
    expect((await facets({ text: own })).body).toMatchObject(expected);
    await logbook.service.searchIndex.waitUntilIndexed();
    expect((await facets({ text: own })).body).toMatchObject(expected);
    expect((await facets({ text: own, owner: 'admin' })).body).toMatchObject({
      hitCount: 1,
      logbooks: { values: [{ name: 'operations', count: 1 }] },
    });
  });

  test('counts by time buckets in the requested zone', async () => {
    const { time } = (await facets({ text: own, interval: 'year', tz: 'Asia/Kathmandu' })).body;
    expect(time).toMatchObject({ interval: 'year', zone: 'Asia/Kathmandu' });
    expect(time.buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(3);
    expect(new Date(time.buckets[0].start).toISOString()).toMatch(/-12-31T18:15:00.000Z$/);
  });

  test('each bucket has its levels, also those that are not indexed yet', async () => {
    const { body } = await facets({ text: own, interval: 'year' });
    expect(body.time.buckets[0].levels).toEqual({ Info: 2, Problem: 1 });
    expect(body.time).toMatchObject({ from: body.time.buckets[0].start });
    expect(body.time.to - body.time.from).toBeGreaterThanOrEqual(365 * 86_400_000);
  });

  test('interval=auto covers the time window with at most the requested number of buckets, empty ones included', async () => {
    const window = { text: own, start: '2 hours', interval: 'auto', tz: 'Asia/Kathmandu' };
    const { time } = (await facets({ ...window, buckets: '30' })).body;
    expect(time).toMatchObject({ interval: '5m', zone: 'Asia/Kathmandu' });
    expect(time.buckets).toHaveLength(25);
    expect(time.buckets[0]).toEqual({ start: time.from, count: 0, levels: {} });
    expect(time.buckets.at(-1).start).toBe(time.to - 300_000);
    expect(time.buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(3);
    expect((await facets({ ...window, buckets: '200' })).body.time.interval).toBe('minute');
    const none = (await facets({ ...window, text: 'nowhereatall' })).body;
    expect(none.time.buckets.every(({ count }: { count: number }) => count === 0)).toBe(true);
    expect(none.time.buckets.length).toBeGreaterThan(20);
    const wide = (await facets({ text: own, start: '0001-01-01', interval: 'minute', buckets: '9' })).body;
    expect(wide.time.buckets.length).toBeLessThan(20);
  });

  test('facetsExcludeOwn=true leaves the filter of each facet out of its own counts', async () => {
    const params = { text: own, query: 'level=Info', owner: 'user' };
    const counted = (await facets({ ...params, facetsExcludeOwn: 'true' })).body;
    expect(counted).toMatchObject({
      hitCount: 1,
      levels: {
        values: [
          { name: 'Info', count: 1 },
          { name: 'Problem', count: 1 },
        ],
      },
      owners: {
        values: [
          { name: 'admin', count: 1 },
          { name: 'user', count: 1 },
        ],
      },
      logbooks: { distinct: 1, values: [{ name: 'operations', count: 1 }] },
    });
    expect((await facets(params)).body.levels.distinct).toBe(1);
  });

  test('without matches, all counts are empty', async () => {
    const none = { distinct: 0, values: [] };
    const { body } = await facets({ text: 'nowhereatall' });
    expect(body).toMatchObject({ hitCount: 0, logbooks: none, owners: none, time: { buckets: [] } });
  });

  test.each([
    [{ interval: 'decade' }, 'search.bad-interval'],
    [{ buckets: '0' }, 'search.bad-buckets'],
    [{ buckets: '2001' }, 'search.bad-buckets'],
    [{ facetsExcludeOwn: 'maybe' }, 'search.bad-view'],
    [{ text: '"' }, 'search.unbalanced-quotes'],
  ])('400 for %j: %s', async (params, code) => {
    expect((await facets(params as Record<string, string>)).body).toMatchObject({ status: 400, code });
  });
});

describe('sort=relevance', () => {
  test('ranks the title above the text, more occurrences above fewer, newer above older', async () => {
    const ids: number[] = [];
    for (const [title, source] of [
      ['Shift report', 'one cryostat among other things that are of no interest here'],
      ['Shift report', 'the cryostat is cold; a cryostat is warm; another cryostat is lost'],
      ['Cryostat', 'found'],
      ['Shift report', 'one cryostat among other things that are of no interest here'],
    ]) {
      ids.push((await logbook.create({ title, source })).id);
    }
    const [older, often, titled, newer] = ids;
    for (let round = 0; round < 2; round++) {
      expect(await idsOf({ query: 'cryostat', sort: 'relevance' })).toEqual([titled, often, newer, older]);
      expect(await idsOf({ query: 'cryostat', sort: 'relevance', from: '1', size: '2' })).toEqual([often, newer]);
      expect(await idsOf({ text: 'cryostat', sort: 'relevance' })).toEqual([newer, often, older]);
      await logbook.service.searchIndex.waitUntilIndexed();
    }
  });

  test('pages beyond the thousand ranked entries neither repeat nor omit entries', async () => {
    await logbook.service.storage.write(async (tx) => {
      const { id: _, ...draft } = ((await tx.entries.find(1)) as StoredEntry).entry;
      for (let at = 0; at < 1_205; at++) await tx.entries.insert({ ...draft, title: 'undulator', description: 'x' });
    });
    const pages: number[] = [];
    for (const from of [0, 500, 900, 1_100]) {
      pages.push(
        ...(await idsOf({
          query: 'undulator',
          sort: 'relevance',
          from: String(from),
          size: from === 500 ? '400' : from === 900 ? '200' : '500',
        })),
      );
    }
    expect(pages).toHaveLength(1_205);
    expect(new Set(pages).size).toBe(1_205);
  });
});

describe('words inside attachments', () => {
  const pdf = (text: string) => {
    const stream = deflateSync(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`);
    const parts = [
      '%PDF-1.4\n',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n',
      '3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/MediaBox[0 0 612 792]>>endobj\n',
      '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n',
      `4 0 obj<</Length ${stream.length}/Filter/FlateDecode>>stream\n`,
    ];
    return Buffer.concat([
      Buffer.from(parts.join('')),
      stream,
      Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
    ]);
  };
  /** Waits for a match: texts are extracted after the entry is stored. */
  const found = async (params: Record<string, string>) => {
    for (;;) {
      let forget = () => {};
      const committed = new Promise<void>((resolve) => {
        forget = logbook.service.storage.onCommit(() => resolve());
      });
      try {
        const ids = await idsOf(params);
        if (ids.length > 0) return ids;
        await committed;
      } finally {
        forget();
      }
    }
  };

  test('in text, HTML and PDF are found only by attachmenttext and query', async () => {
    const entry = { title: 'With files', logbooks: [{ name: 'operations' }] };
    const files = {
      'log.txt': 'the klystronium arced',
      'page.html': '<p title="hidden">thyratronium</p>',
      'paper.pdf': pdf('magnetronium measured'),
    };
    for (const [name, content] of Object.entries(files)) {
      const attachments = [{ filename: name }];
      const { body } = await logbook.sendForm('PUT', { ...entry, attachments }, [{ name, content }]);
      const word = /\w+onium/.exec(name === 'paper.pdf' ? 'magnetronium' : String(content))?.[0] ?? '';
      expect(await found({ attachmenttext: word }), name).toEqual([body.id]);
      expect(await idsOf({ query: `${word} files` })).toEqual([body.id]);
      expect(await idsOf({ attachmenttext: `${word.slice(0, 6)}*` })).toEqual([body.id]);
      expect(await idsOf({ text: word })).toEqual([]);
      await logbook.service.searchIndex.waitUntilIndexed();
      expect(await idsOf({ attachmenttext: word })).toEqual([body.id]);
    }
    expect(await idsOf({ attachmenttext: 'hidden' })).toEqual([]);
    expect(await idsOf({ attachmenttext: '"magnetronium measured"' })).toHaveLength(1);
  });

  test('in a corrupt file are not found, and the next file is processed', async () => {
    const entry = { title: 'Broken', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'broken.pdf' }] };
    const broken = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5_000, 'x <<>> obj ')]);
    expect((await logbook.sendForm('PUT', entry, [{ name: 'broken.pdf', content: broken }])).status).toBe(200);
    const next = { ...entry, attachments: [{ filename: 'next.txt' }] };
    await logbook.sendForm('PUT', next, [{ name: 'next.txt', content: 'gyrotronium' }]);
    expect(await found({ attachmenttext: 'gyrotronium' })).toHaveLength(1);
  });
});

describe('hostile searches', () => {
  beforeAll(async () => {
    await logbook.create({ title: 'a'.repeat(256), source: 'a'.repeat(256) });
    const attributes = Array.from({ length: 500 }, (_, at) => ({ name: `attribute ${at}`, value: `value ${at}` }));
    const events = [-8.64e15, 8.64e15].map((instant) => ({ name: 'far away', instant }));
    await logbook.create({ title: 'wide', properties: [{ name: 'many', attributes }], events });
  });

  // Percent-encoded, it is still shorter than the longest allowed address.
  const long = (piece: string) => piece.repeat(Math.floor(4_000 / piece.length));
  const hostile: [string, Record<string, string>][] = [
    ['words', { query: Array.from({ length: 100 }, (_, at) => `w${at}`).join(' ') }],
    ['too many words', { query: long('a ') }],
    ['wildcards over everything', { query: '?* *? ?*? *e* *a* *t*' }],
    ['stars that could be shared in many ways', { title: '*a*a*a*a*a*a*b', query: '*a?a*a?a*a*b' }],
    ['one wildcard a thousand times', { properties: '..v*,'.repeat(999).slice(0, 4_000) }],
    ['many wildcards for the same', { properties: Array.from({ length: 300 }, (_, at) => `..v*${at}*`).join(',') }],
    ['a phrase of unknown words', { phrase: Array.from({ length: 100 }, (_, at) => `unknowm${at}`).join(' ') }],
    ['a phrase to leave out', { query: `-"${'a'.repeat(256)} b"` }],
    ['eight stars', { query: '*a*b*c*d*e*f*g*h' }],
    ['stars and long words', { text: `*${'a'.repeat(4_000)}*${'a'.repeat(4_000)}` }],
    ['question marks', { text: long('?') }],
    ['operators of a database', { query: 'NEAR(a b) AND NOT "x" OR {title}: ^y* + z -- \' ; DROP TABLE entry' }],
    ['brackets of a pattern', { owner: '[a-z]*', tags: '[!x]?', title: '[[]*]' }],
    ['NUL and control characters', { text: 'a\0b', owner: 'u\u0001*', tags: '\u001f' }],
    ['lone halves of characters', { query: '\ud800 \udfff*' }],
    ['quotes', { text: long('""') }],
    ['an odd quote', { text: long('"a" ').concat('"') }],
    ['a list of a thousand', { tags: Array.from({ length: 1_000 }, (_, at) => `t${at}*`).join(',') }],
    ['ten thousand values', { owner: long('a,') }],
    ['fuzzy words', { text: 'aaaaaaaa bbbbbbbb cccccccc dddddddd eeeeeeee', fuzzy: '' }],
    ['exclusions alone', { query: '-a -b -"c d" -* -has:attachment' }],
    ['a deep page', { from: '999999999999999', size: '1000' }],
    ['all of time', { start: '0001-01-01', end: '9999-12-31' }],
    ['levels with words, wildcards and punctuation', { level: long('"a-*",[x]?,') }],
    ['marks without letters', { query: '\u0301'.repeat(2_000) }],
  ];

  test.each(hostile)(
    '%s: answered within the time limit with 200 or 400, and the next search works',
    async (_name, params) => {
      for (const path of ['/logs/search', '/logs/facets', '/logs/search?explain=true&sort=relevance']) {
        const joint = path.includes('?') ? '&' : '?';
        const answer = await logbook.get(`${path}${joint}${new URLSearchParams(params)}`);
        expect([200, 400], answer.text.slice(0, 300)).toContain(answer.status);
        if (answer.status === 400) expect(answer.body.message).toMatch(/\w/);
        expect(answer.text).not.toMatch(/SQLITE|SELECT |node_modules/);
      }
      expect((await search({ title: 'leak' })).body.hitCount).toBe(1);
    },
  );

  test('wildcards are answered however many words match, even if one entry has filled the vocabulary with words', async () => {
    const own = await TestService.start();
    try {
      const several = (start: string, count: number) =>
        Array.from({ length: count }, (_, at) => `${start}${at.toString(36)}`).join(' ');
      for (const start of ['qxa', 'qxb', 'qxc', 'kc', 'kd', 'ke', 'kf', 'kg', 'kh']) {
        await own.create({ title: start, source: several(start, 9_000), tags: [{ name: 'alarm' }] });
      }
      await own.create({ title: 'random', source: several('zz', 40_000) });
      await own.create({ title: 'other' });
      await own.service.searchIndex.waitUntilIndexed();
      const hits = async (query: string) => (await own.search(query)).hitCount;
      expect(await hits('text=qx*')).toBe(3);
      expect(await hits('text=qxa1*')).toBe(1);
      // Together they match more words than are held in memory.
      expect(await hits('text=kc* kd* ke* kf* kg* kh* qx*')).toBe(0);
      expect(await hits('query=k*&tags=alarm&title=kc')).toBe(1);
      expect(await hits('query=-qx*')).toBe(8);
      expect(await hits('query=zz*')).toBe(1);
      const { explain: explained } = (await own.get('/logs/search?query=qx*&explain=true&sort=relevance')).body;
      const [{ hitCount, expansion }] = explained.parts;
      expect(hitCount).toBe(3);
      // The index counts up to 20,000 words; a node that has yet to index the entries counts all of them.
      expect([20_000, 27_003]).toContain(expansion.count);
    } finally {
      await own.stop();
    }
  });
});

describe('many searches at the same time', () => {
  test('429 request.too-many-waiting with Retry-After when the queue of the client is full; the others succeed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 600 }, (_, at) =>
        call(`${logbook.base}/logs/search?query=undulator -other${at}&sort=relevance&size=1`),
      ),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.code).toBe('request.too-many-waiting');
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await search({ title: 'leak' })).status).toBe(200);
  });

  test('searches of disconnected clients leave the queue', async () => {
    const { hostname, port } = new URL(logbook.origin);
    const sockets = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        socket.write(
          `GET /logbook/logs/search?query=*e*+*a*+*o*+-other${at}&explain=true HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`,
        );
        return socket;
      }),
    );
    for (const socket of sockets) socket.destroy();
    expect((await search({ title: 'leak' })).body.hitCount).toBe(1);
  });
});
