import { rm } from 'node:fs/promises';
import MarkdownIt from 'markdown-it';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChatServer } from '../fixtures/chat-server.js';
import { makeTempDir, type TestService } from '../fixtures/service.js';
import {
  chatTo,
  inOneMoment,
  type SubscriberKeys,
  startWithSubscribers,
  stateOf,
  stateWhen,
} from '../fixtures/subscribed-logbook.js';

const link = 'https://log.example.org/entries/';

let chat: ChatServer;
let dataDir: string;
let logbook: TestService;
beforeEach(async () => {
  chat = await ChatServer.start();
  dataDir = await makeTempDir();
});
afterEach(async () => {
  vi.useRealTimers();
  await logbook.stop();
  await chat.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = async (keys: SubscriberKeys, changed: Readonly<Record<string, string>> = {}) => {
  const settings = { publicUrl: 'https://log.example.org', ...changed };
  logbook = await startWithSubscribers({ chat: chatTo(chat.url, keys) }, { dataDir, settings });
};

test('receives one line per entry, without mentions, disguised links or line breaks from the entry', async () => {
  await start({
    batchWindowSeconds: '1',
    text: '*{level}* {title} – {owner} ({logbooks}; {tags}) {link} {nonsense}',
  });
  const { first, second } = await inOneMoment(async () => ({
    first: await logbook.create({ title: '<!channel> @all [here](http://x)\u2028& “ü”', level: 'Problem' }),
    second: await logbook.create({ title: 'se\u202eco\u2066n\u200fd\u061c [https://x/](https://y)' }),
  }));
  await chat.arrival('second');
  expect(chat.accepted[0]?.text.split('\n')).toEqual([
    `*Problem* &lt;!channel&gt; @\u200ball [here]\u200b(http://x) &amp; “ü” – user (operations; ) ${link}${first.id} {nonsense}`,
    `*Info* second [https://x/]\u200b(https://y) – user (operations; ) ${link}${second.id} {nonsense}`,
  ]);
});

test('shows the titles as they are: no character is taken for markup', async () => {
  const titles = [
    ...['I = 2*3*4', '__init__ SR_C03_MG _x_ a_*_b', 'SR:*:I and BR:*:I', 'SR:C03-MG:G02A{Quad:1} #123', '~~x~~ ~5'],
    ...['C:\\data\\_x \\* \\', '`a` ``b`` c`', '**b** ![p](p.png) [a][b]', '5 > 3 & <b>x</b> &lt; &#42;'],
    ...['see https://x/_a_/*?q=`1`_ and *x*'],
  ];
  await start({ text: 'Title: {title}.' });
  for (const title of titles) await logbook.create({ title });
  await chat.arrival('see');
  const reader = new MarkdownIt({ linkify: true });
  const shown = chat.lines.map((line) =>
    (reader.parseInline(line, {})[0]?.children ?? []).map(({ content }) => content).join(''),
  );
  // The zero-width space prevents a link, and is not seen.
  expect(shown.map((text) => text.replaceAll('\u200b', ''))).toEqual(titles.map((title) => `Title: ${title}.`));
});

test('a title at the beginning of a line is no heading, list, rule or table', async () => {
  const titles = [
    '# All clear',
    '## a',
    '- x',
    '+ x',
    '1. x',
    '12) x',
    '---',
    '===',
    '| a | b |',
    '-5 °C',
    '#123',
    '1.5 mA',
  ];
  await start({ text: '{title}' });
  for (const title of titles) await logbook.create({ title });
  await chat.arrival('1.5 mA');
  const reader = new MarkdownIt();
  expect(chat.lines.map((line) => reader.render(line))).toEqual(titles.map((title) => `<p>${title}</p>\n`));
});

test('an empty line becomes the number of its entry, because a chat refuses an empty message', async () => {
  await start({ text: '{tags}' });
  const { id } = await logbook.create();
  await chat.arrival(`#${id}`);
  expect(chat.lines).toEqual([`#${id}`]);
});

test.each(['isDatabaseReachable', 'isWebhookDeleted'] as const)(
  'a status of 400 is retried, because it does not tell a deleted webhook from an outage (%s)',
  async (cause) => {
    await start({});
    chat[cause] = !chat[cause];
    await logbook.create({ title: 'one' });
    await stateWhen(logbook, 'chat', ({ lastError }) => lastError.endsWith('status 400.'));
    await logbook.create({ title: 'two' });
    chat[cause] = !chat[cause];
    await chat.arrival('two');
    expect(chat.lines.map((line) => /: (.*) \(/.exec(line)?.[1])).toEqual(['one', 'two']);
    expect(await stateOf(logbook, 'chat')).toMatchObject({ deadLetters: 0 });
  },
);

test('a message that the chat refuses with 400 for an hour is a dead letter, and the next ones arrive', async () => {
  await start({ maxDeliveryAgeSeconds: '86400' }, { trustSystemClock: 'true' });
  chat.isWebhookDeleted = true;
  await logbook.create({ title: 'one' });
  await stateWhen(logbook, 'chat', ({ lastError }) => lastError.endsWith('status 400.'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  await stateWhen(logbook, 'chat', ({ deadLetters }) => deadLetters === 1);
  chat.isWebhookDeleted = false;
  await logbook.create({ title: 'two' });
  await chat.arrival('two');
});
