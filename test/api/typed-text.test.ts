import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCsv } from '../../src/exports/write-csv.js';
import { MailServer } from '../fixtures/mail-server.js';
import { markupCorpus } from '../fixtures/markup-corpus.js';
import { Receiver } from '../fixtures/receiver.js';
import type { TestService } from '../fixtures/service.js';
import { chatTo, mailTo, startWithSubscribers, stateWhen, webhookTo } from '../fixtures/subscribed-logbook.js';

const chatLine = 'wrote {title} in {logbooks}';
let service: TestService;
let mails: MailServer;
let hooks: Receiver;
beforeAll(async () => {
  [mails, hooks] = [await MailServer.start(), await Receiver.start()];
  const batch = { batchWindowSeconds: '1' };
  service = await startWithSubscribers({
    mail: mailTo(mails.url, batch),
    chat: chatTo(`${hooks.origin}/chat`, { ...batch, text: chatLine }),
    hook: webhookTo(`${hooks.origin}/hook`, batch),
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([mails.stop(), hooks.stop()]);
});

/** The interface refuses NUL. */
const examples = Object.values(markupCorpus)
  .flat()
  .filter(({ source }) => !source.includes('\0'));
/** Characters that neither XML nor a line of a feed may have. */
const plain = (text: string) => text.replace(/\s+/g, ' ').trim();

test('texts as people type them are described, found and sent in feeds as typed', async () => {
  for (const [at, { source, description }] of examples.entries()) {
    const entry = await service.create({ title: `example ${at}`, source });
    expect(entry).toMatchObject({ source, description });
    const words = description.match(/(?<![\p{L}\p{N}_:/.*\\#-])\p{L}{3,}(?![\p{L}\p{N}_:/.*\\#-])/gu) ?? [];
    if (words.length === 0) continue;
    const { ids } = await service.search(
      `text=${encodeURIComponent(words.map((word) => `"${word}"`).join(' '))}&size=100`,
    );
    expect(ids, source).toContain(entry.id);
  }
  const feed = (await service.get('/logs/rss?size=200')).text;
  const shown = plain(decoded(decoded(feed)).replace(/<br ?\/?>/g, ' '));
  for (const { description } of examples) expect(shown).toContain(plain(description));
});

test('texts as people type them arrive in mails, chats, webhooks and tables as typed', async () => {
  const marks = fc.constantFrom(
    '*',
    '_',
    '[',
    ']:',
    '](',
    '<',
    '&',
    '"',
    "'",
    ',',
    ';',
    '=',
    '+3',
    '\\',
    '`',
    '|',
    '@',
    '.',
    '\n',
    '\r\n.',
  );
  const typed = fc.array(fc.oneof(fc.stringMatching(/^[a-zäéø]{3,8}$/), marks, fc.string({ unit: 'grapheme' })));
  const random = fc.sample(typed, 60).map((parts) => parts.join(' ').toWellFormed().replaceAll('\0', ''));
  const sent: { id: number; title: string; description: string }[] = [];
  for (const source of [...examples.map((one) => one.source), ...random]) {
    const title = plain(source).slice(0, 200).toWellFormed() || 'none';
    sent.push(await service.create({ title, source }));
  }
  for (const name of ['mail', 'chat', 'hook']) await stateWhen(service, name, ({ lag }) => lag === 0);
  const mail = spaced(mails.mails.map(({ text }) => text).join('\n'));
  const of = (path: string) => hooks.received.filter((one) => one.path === path).map(({ json }) => json);
  const chat = spaced(
    decoded(
      of('/chat')
        .map(({ text }) => text)
        .join('\n'),
    )
      .replaceAll('\u200b', '')
      .replace(/\\([`*_~\\])/g, '$1'),
  );
  const hooked = of('/hook').flatMap(({ changes }) => changes.map(({ entry }: { entry: object }) => entry));
  const table = await exportTable();
  for (const { id, title, description } of sent) {
    expect(mail).toContain(spaced(description));
    expect(mail).toContain(spaced(title));
    expect(chat).toContain(spaced(chatLine.replace('{title}', () => title).replace('{logbooks}', 'operations')));
    expect(hooked).toContainEqual(expect.objectContaining({ id, title, description }));
    const [, , , , , , , , titleCell, text] = table.find(([cell]) => cell === String(id)) ?? [];
    expect([titleCell?.replace(/^'/, ''), text?.replace(/^'/, '').split('\n')[0]]).toEqual([
      title.replace(/^'/, ''),
      description.replace(/^'/, '').split('\n')[0],
    ]);
    expect(text).toContain(description);
  }
});

const decoded = (text: string) =>
  text.replace(/&(lt|gt|amp|quot|#39|apos);/g, (all, name: string) => {
    const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };
    return named[name] ?? all;
  });
/** Text without what mails and chats replace: white space, and characters that turn the direction. */
const spaced = (text: string) =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');

/** Exports all entries as a table; resolves to the cells of its lines. */
async function exportTable(): Promise<string[][]> {
  const dir = await mkdtemp(join(tmpdir(), 'logbook-table-'));
  try {
    const { storage } = service.service;
    const deps = { committed: storage.committed, storeId: 's', nowMs: 0, linkOf: () => undefined };
    const events = { onProgress: () => {}, onProblem: expect.fail };
    await writeCsv({ ...deps, ...events, blobs: undefined as never }, join(dir, 'a.csv'), new AbortController().signal);
    const rows: string[][] = [[]];
    for (const [, quoted, bare, end] of (await readFile(join(dir, 'a.csv'), 'utf8')).matchAll(
      /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g,
    )) {
      rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
      if (end === '\r\n') rows.push([]);
    }
    return rows;
  } finally {
    await rm(dir, { recursive: true });
  }
}
