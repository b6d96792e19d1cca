import { once } from 'node:events';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { provideContext } from '../../http/request/request-context.js';
import { systemClock as clock } from '../../kernel/clock.js';
import { callTool } from './call-tool.js';
import { readingTools } from './reading-tools.js';
import { shiftAt } from './shift-at.js';

/** A service whose searches `answer` answers. */
let app: FastifyInstance;
let answer: (reply: FastifyReply) => unknown;
let closed: Promise<void>;
let client: AbortController;
const logged: string[] = [];
const plan = { shifts: [], zone: 'UTC' };

beforeAll(async () => {
  app = Fastify({ logger: { level: 'error', stream: { write: (line) => logged.push(line) } } });
  provideContext(app);
  app.get('/logbook/logs/search', (_request, reply) => {
    closed = new Promise((resolve) => reply.raw.once('close', resolve));
    return answer(reply);
  });
  app.get('/ask', async (request) => {
    request.context.principal = { scheme: 'x', userName: 'jane', roles: [], groups: [] };
    client = new AbortController();
    const caller = { request, signal: client.signal, origin: 'http://log' };
    const [search] = readingTools;
    return (
      search &&
      callTool({ rootPath: '/logbook', clock, plan }, search, { query: 'rf', ...(request.query as object) }, caller)
    );
  });
});
afterAll(() => app.close());

const ask = async (params = '') => {
  const { isError, content } = (await app.inject(`/ask${params}`)).json();
  const texts = content.map(({ text }: { text: string }) => text) as string[];
  return { isError, notice: texts.slice(0, -1).join(), data: JSON.parse(texts.at(-1) ?? '') };
};

test.each([
  [503, 'search.index-building'],
  [503, 'search.unavailable'],
  [500, 'search.damaged'],
  [429, 'request.too-many-waiting'],
])('%i %s: the answer says that the search is unavailable, not that nothing was found', async (status, code) => {
  answer = (reply) => reply.code(status).send({ code, message: 'Try again.' });
  const { isError, notice, data } = await ask();
  expect(isError).toBe(true);
  expect(notice).toContain('does not mean that nothing was found');
  expect(data).toEqual({ outcome: 'unavailable', code, message: 'Try again.' });
});

test('a call that is refused for its number says how long to wait', async () => {
  answer = (reply) => reply.code(429).header('retry-after', 7).send({ code: 'search.busy', message: 'Too many.' });
  expect((await ask()).data.message).toBe('Too many. Wait 7 s before the next call.');
});

test('a search says whether entries could not be compared by meaning, or none is similar', async () => {
  answer = (reply) => reply.send({ hitCount: 0, logs: [] });
  expect((await ask('?meaning=leak')).data.notCompared).toContain('there may be similar ones');
  expect((await ask()).data).not.toHaveProperty('notCompared');
  answer = (reply) => reply.send({ hitCount: 0, logs: [], byMeaning: [] });
  const { data } = await ask('?meaning=leak');
  expect(data.byMeaning).toEqual([]);
  expect(data).not.toHaveProperty('notCompared');
});

test('a response that breaks off makes the search unavailable', async () => {
  answer = (reply) => {
    reply.hijack();
    reply.raw.write('HTTP/1.1 200 OK\r\n');
    reply.raw.destroy();
  };
  expect(await ask()).toMatchObject({ isError: true, data: { outcome: 'unavailable', code: 'internal' } });
});

test('an empty result is not an error', async () => {
  answer = () => ({ hitCount: 0, logs: [] });
  expect(await ask()).toMatchObject({ isError: undefined, data: { outcome: 'ok', hitCount: 0, entries: [] } });
});

test('the request of a tool comes from the address of its caller', async () => {
  let seen: unknown;
  answer = ({ request }) => {
    seen = [request.ip, request.protocol, request.host];
    return { hitCount: 0, logs: [] };
  };
  await app.inject({ url: '/ask', remoteAddress: '192.0.2.7', headers: { host: 'log.example.org' } });
  expect(seen).toEqual(['192.0.2.7', 'http', 'log.example.org']);
});

test('a wrong search is refused with its reason', async () => {
  answer = (reply) => reply.code(400).send({ code: 'search.bad-time', message: '“x” is not a time.' });
  expect(await ask()).toMatchObject({ notice: '', data: { outcome: 'refused', message: '“x” is not a time.' } });
});

test('an answer that is too long is refused, and not read to its end', async () => {
  answer = () => ({ hitCount: 1, logs: [], padding: 'x'.repeat(5_000_000) });
  expect(await ask()).toMatchObject({ data: { outcome: 'refused', code: 'agents.answer-too-long' } });
});

test('an answer that is streamed arrives as a whole', async () => {
  const json = JSON.stringify({ hitCount: 200_000, logs: [], padding: 'x'.repeat(200_000) });
  answer = (reply) => reply.type('application/json').send(Readable.from(json.match(/.{1,50000}/g) ?? []));
  expect(await ask()).toMatchObject({ data: { outcome: 'ok', hitCount: 200_000 } });
});

test('a streamed answer that is too long is stopped', async () => {
  const endless = Readable.from(
    (async function* () {
      for (;;) yield 'x'.repeat(50_000);
    })(),
  );
  const stopped = once(endless, 'close');
  answer = (reply) => reply.type('application/json').send(endless);
  expect(await ask()).toMatchObject({ data: { outcome: 'refused', code: 'agents.answer-too-long' } });
  await stopped;
});

test('a response that is destroyed with an error is unavailable', async () => {
  answer = (reply) => {
    reply.hijack();
    reply.raw.destroy(new Error('the disk failed'));
  };
  expect(await ask()).toMatchObject({ isError: true, data: { outcome: 'unavailable', code: 'internal' } });
});

test('a search without an answer ends after a minute, and the log says so', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    answer = () => {
      vi.advanceTimersByTime(60_000);
      return new Promise(() => undefined);
    };
    expect(await ask()).toMatchObject({ isError: true, data: { outcome: 'unavailable', code: 'internal' } });
  } finally {
    vi.useRealTimers();
  }
  expect(logged.at(-1)).toContain('no answer within 60 s');
});

test('a client that disconnects ends its search', async () => {
  answer = () => {
    client.abort();
    return new Promise(() => undefined);
  };
  expect(await ask()).toMatchObject({ data: { outcome: 'unavailable' } });
  await closed;
});

test('shifts follow each other without a gap, across midnight and the change to summer time', () => {
  const berlin = {
    shifts: [
      { name: 'Late', start: '15:00' },
      { name: 'Night', start: '23:00' },
      { name: 'Early', start: '07:00' },
    ],
    zone: 'Europe/Berlin',
  };
  const night = shiftAt(Date.parse('2026-03-29T01:30:00Z'), berlin);
  expect(night).toEqual({
    name: 'Night',
    startMs: Date.parse('2026-03-28T22:00:00Z'),
    endMs: Date.parse('2026-03-29T05:00:00Z'),
  });
  expect(shiftAt(night.endMs, berlin)).toMatchObject({ name: 'Early', startMs: night.endMs });
  expect(shiftAt(night.startMs - 1, berlin)).toMatchObject({ name: 'Late', endMs: night.startMs });
  expect(shiftAt(0, plan)).toEqual({ name: 'Day', startMs: 0, endMs: 86_400_000 });
});
