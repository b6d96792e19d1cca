import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AllWords } from '../search/query/vocabulary.js';
import type { WordsAnswer, WordsRequest } from './messages.js';
import { WordsExchange } from './words-exchange.js';

let exchange: WordsExchange;
let ports: MessagePort[];
beforeEach(() => {
  exchange = new WordsExchange(3_600_000);
  ports = [];
});
afterEach(() => {
  exchange.close();
  for (const port of ports) port.close();
});

/** A search thread, as the exchange sees it. */
class Thread {
  private readonly port: MessagePort;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    exchange.connect(port2);
    this.port = port1;
    ports.push(port1);
  }

  send(request: WordsRequest): void {
    this.port.postMessage(request);
  }

  /** Returns the answer, or `read` when the thread must read. */
  async ask(newerThan = -1, index = 'index'): Promise<AllWords | 'read'> {
    const answered = once(this.port, 'message') as Promise<[WordsAnswer]>;
    this.send({ kind: 'ask', index, newerThan });
    return (await answered)[0].words ?? 'read';
  }

  end(): void {
    this.port.close();
  }
}

const upTo = (newestId: number): AllWords => ({ newestId, groups: [] });
const read = (newestId: number, index = 'index'): WordsRequest => ({ kind: 'read', index, words: upTo(newestId) });

test('one thread reads for all that ask', async () => {
  const threads = [new Thread(), new Thread(), new Thread()] as const;
  expect(await threads[0].ask()).toBe('read');
  const others = [threads[1].ask(), threads[2].ask()];
  threads[0].send({ kind: 'reading', index: 'index' });
  threads[0].send(read(7));
  expect(await Promise.all(others)).toEqual([upTo(7), upTo(7)]);
  expect(await new Thread().ask(3)).toEqual(upTo(7));
});

test('a thread that knows the newest words reads later ones, which the other threads also get', async () => {
  const [one, other] = [new Thread(), new Thread()];
  await one.ask();
  one.send(read(7));
  expect(await other.ask()).toEqual(upTo(7));
  expect(await other.ask(7)).toBe('read');
  const asked = one.ask(7);
  other.send(read(9));
  expect(await asked).toEqual(upTo(9));
});

test('when a thread fails or ends while it reads, the next one reads', async () => {
  const [failing, ending, waiting] = [new Thread(), new Thread(), new Thread()];
  expect(await failing.ask()).toBe('read');
  const ofEnding = ending.ask();
  failing.send({ kind: 'failed', index: 'index' });
  expect(await ofEnding).toBe('read');
  const ofWaiting = waiting.ask();
  ending.end();
  expect(await ofWaiting).toBe('read');
});

test('when a thread is silent while it reads, the next one reads', async () => {
  exchange = new WordsExchange(1);
  const [silent, next] = [new Thread(), new Thread()];
  expect(await silent.ask()).toBe('read');
  expect(await next.ask()).toBe('read');
  silent.send(read(7));
  expect(await silent.ask()).toEqual(upTo(7));
});

test('the words of one index are not given to those who search in another', async () => {
  const [one, other] = [new Thread(), new Thread()];
  expect(await one.ask()).toBe('read');
  expect(await other.ask(-1, 'next index')).toBe('read');
  one.send(read(7));
  const next = one.ask(-1, 'next index');
  other.send(read(5, 'next index'));
  expect(await next).toEqual(upTo(5));
});
