import { beforeEach, describe, expect, test } from 'vitest';
import { StompSession } from './session.js';
import { StompError } from './stomp-error.js';

const tickMs = 2_000;

/** A session with a clock that the test advances. */
class Timed {
  nowMs = 0;
  readonly sent: string[] = [];
  closed = false;
  readonly session = new StompSession<string>({
    wire: {
      send: (frames) => {
        this.sent.push(...frames.map((fragments) => Buffer.concat(fragments).toString()));
      },
      close: () => {
        this.closed = true;
      },
    },
    service: {
      server: 'example/1.0',
      signIn: async () => undefined,
      start: () => () => undefined,
      findTopic: (destination) => {
        if (destination.startsWith('/topic/')) return destination;
        throw new StompError('There is no such topic.');
      },
      echoesOn: () => () => true,
    },
    nowMs: () => this.nowMs,
  });

  receive(text: string): Promise<void> {
    return this.session.receive(Buffer.from(text));
  }

  advance(ms: number): void {
    for (const end = this.nowMs + ms; this.nowMs < end; ) {
      this.nowMs += tickMs;
      this.session.tick(tickMs);
    }
  }
}

let timed: Timed;
beforeEach(() => {
  timed = new Timed();
});

describe('a connection is closed', () => {
  test('when CONNECT does not arrive', async () => {
    await timed.receive('\n');
    timed.advance(10_000);
    expect(timed.closed).toBe(false);
    timed.advance(tickMs);
    expect(timed).toMatchObject({ closed: true, sent: [expect.stringContaining('ERROR\n')] });
  });

  test('when promised heart-beats do not arrive', async () => {
    await timed.receive('CONNECT\naccept-version:1.2\nheart-beat:10000,0\n\n\0');
    timed.advance(50_000);
    await timed.receive('\r\n');
    timed.advance(60_000);
    expect(timed.closed).toBe(false);
    timed.advance(tickMs);
    expect(timed.closed).toBe(true);
  });

  test('when a frame stays incomplete', async () => {
    await timed.receive('CONNECT\naccept-version:1.2\n\n\0SEND\n');
    for (let at = 0; at < 16; at += 1) {
      timed.advance(tickMs);
      await timed.receive('a');
    }
    expect(timed.closed).toBe(true);
  });

  test('when frames exceed the rate limit, but not below it', async () => {
    await timed.receive('CONNECT\naccept-version:1.2\n\n\0');
    for (let at = 0; at < 400; at += 1) await timed.receive('\n');
    timed.advance(10_000);
    for (let at = 0; at < 400; at += 1) await timed.receive('\n');
    expect(timed.closed).toBe(false);
    for (let at = 0; at < 400; at += 1) await timed.receive('\n');
    expect(timed.closed).toBe(true);
  });
});

describe('heart-beats', () => {
  const beats = () => timed.sent.filter((text) => text === '\n').length;

  test('are offered every 30 s, and sent at least as often as negotiated', async () => {
    await timed.receive('CONNECT\naccept-version:1.1,1.0\nheart-beat:0,5000\n\n\0');
    expect(timed.sent[0]).toContain('heart-beat:30000,30000\n');
    timed.advance(300_000);
    expect(beats()).toBeGreaterThanOrEqual(10);
    expect(timed.closed).toBe(false);
  });

  test.each(['CONNECT\naccept-version:1.2\nheart-beat:0,0\n\n\0', 'CONNECT\nheart-beat:1,1\n\n\0'])(
    'are not sent after %j',
    async (connect) => {
      await timed.receive(connect);
      timed.advance(300_000);
      expect(beats()).toBe(0);
      expect(timed.closed).toBe(false);
    },
  );
});

test.each([
  ['no common version', 'CONNECT\naccept-version:2.0\n\n\0'],
  ['a frame before CONNECT', 'SUBSCRIBE\nid:1\ndestination:/topic/entries\n\n\0'],
  ['a second CONNECT', 'CONNECT\n\n\0CONNECT\n\n\0'],
  ['an unknown command', 'CONNECT\n\n\0PUBLISH\n\n\0'],
  ['an unknown topic', 'CONNECT\n\n\0SUBSCRIBE\nid:1\ndestination:/queue/a\n\n\0'],
  ['a subscription without an id', 'CONNECT\naccept-version:1.1\n\n\0SUBSCRIBE\ndestination:/topic/entries\n\n\0'],
  ['a transaction that is not open', 'CONNECT\n\n\0COMMIT\ntransaction:a\n\n\0'],
  ['heart-beats that are not numbers', 'CONNECT\naccept-version:1.2\nheart-beat:a,b\n\n\0'],
])('ERROR, then close: %s', async (_, text) => {
  await timed.receive(text);
  expect(timed.closed).toBe(true);
  expect(timed.sent.at(-1)).toMatch(/^ERROR\nmessage:/);
  await timed.receive('CONNECT\n\n\0');
  expect(timed.sent.filter((frame) => frame.startsWith('ERROR'))).toHaveLength(1);
});

const connected = 'CONNECT\naccept-version:1.0\n\n\0';
const subscribe = (at: number) => `SUBSCRIBE\nid:${at}\ndestination:/topic/entries\n\n\0`;
const begin = (at: number) => `BEGIN\ntransaction:${at}\n\n\0`;
test.each([
  ['a frame', `SEND\ncontent-length:70000\n\n`, '64 kB for each frame'],
  ['headers', `SEND\n${'a:b\n'.repeat(70)}\n\0`, '64 for each frame'],
  ['long headers', `SEND\na:${'b'.repeat(20_000)}\n\n\0`, '16 kB for each frame'],
  [
    'subscriptions',
    Array.from({ length: 101 }, (_, at) => subscribe(at)).join(''),
    '100 subscriptions for each connection',
  ],
  ['transactions', Array.from({ length: 11 }, (_, at) => begin(at)).join(''), '10 transactions for each connection'],
  [
    'frames',
    `${begin(1)}ABORT\ntransaction:1\n\n\0`.repeat(400),
    '500 frames in a burst, then 100 a second for each connection',
  ],
])('an ERROR for a limit names the limit and what it is counted for: %s', async (_, text, limit) => {
  await timed.receive(connected + text);
  expect(timed.closed).toBe(true);
  expect(timed.sent.at(-1)).toContain(`The limit is ${limit}, and is fixed.`);
});
