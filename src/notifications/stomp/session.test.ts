import { beforeEach, describe, expect, test } from 'vitest';
import { LogbookAccess } from '../../auth/logbook-access.js';
import { Permissions } from '../../auth/permissions.js';
import { StompSession } from './session.js';

const tickMs = 2_000;

/** A session whose time passes when it is told to. */
class Timed {
  nowMs = 0;
  readonly sent: string[] = [];
  closed = false;
  readonly session = new StompSession({
    wire: {
      send: (frames) => {
        this.sent.push(...frames.map((pieces) => Buffer.concat(pieces).toString()));
      },
      close: () => {
        this.closed = true;
      },
    },
    permissions: new Permissions('signed-in', new LogbookAccess([])),
    principal: undefined,
    signInNeeded: false,
    principalMatters: false,
    mayTakePassword: true,
    signIn: () => Promise.reject(new Error('nobody signs in here')),
    follow: () => () => undefined,
    nowMs: () => this.nowMs,
  });

  receive(text: string): Promise<void> {
    return this.session.receive(Buffer.from(text));
  }

  pass(ms: number): void {
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

describe('a connection ends', () => {
  test('when CONNECT does not arrive', async () => {
    await timed.receive('\n');
    timed.pass(10_000);
    expect(timed.closed).toBe(false);
    timed.pass(tickMs);
    expect(timed).toMatchObject({ closed: true, sent: [expect.stringContaining('ERROR\n')] });
  });

  test('when heart-beats that were promised do not arrive', async () => {
    await timed.receive('CONNECT\naccept-version:1.2\nheart-beat:10000,0\n\n\0');
    timed.pass(50_000);
    await timed.receive('\r\n');
    timed.pass(60_000);
    expect(timed.closed).toBe(false);
    timed.pass(tickMs);
    expect(timed.closed).toBe(true);
  });

  test('when a frame has begun and does not end', async () => {
    await timed.receive('CONNECT\naccept-version:1.2\n\n\0SEND\n');
    for (let at = 0; at < 16; at += 1) {
      timed.pass(tickMs);
      await timed.receive('a');
    }
    expect(timed.closed).toBe(true);
  });

  test('when more arrives than anybody needs; a connection that is used is none the worse', async () => {
    await timed.receive('CONNECT\naccept-version:1.2\n\n\0');
    for (let at = 0; at < 400; at += 1) await timed.receive('\n');
    timed.pass(10_000);
    for (let at = 0; at < 400; at += 1) await timed.receive('\n');
    expect(timed.closed).toBe(false);
    for (let at = 0; at < 400; at += 1) await timed.receive('\n');
    expect(timed.closed).toBe(true);
  });
});

describe('heart-beats', () => {
  const beats = () => timed.sent.filter((text) => text === '\n').length;

  test('are offered every 30 s, and sent no more rarely than was agreed', async () => {
    await timed.receive('CONNECT\naccept-version:1.1,1.0\nheart-beat:0,5000\n\n\0');
    expect(timed.sent[0]).toContain('heart-beat:30000,30000\n');
    timed.pass(300_000);
    expect(beats()).toBeGreaterThanOrEqual(10);
    expect(timed.closed).toBe(false);
  });

  test.each(['CONNECT\naccept-version:1.2\nheart-beat:0,0\n\n\0', 'CONNECT\nheart-beat:1,1\n\n\0'])(
    'nobody beats after %j',
    async (connect) => {
      await timed.receive(connect);
      timed.pass(300_000);
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
  ['heart-beats that are no numbers', 'CONNECT\naccept-version:1.2\nheart-beat:a,b\n\n\0'],
])('ERROR, then the end: %s', async (_, text) => {
  await timed.receive(text);
  expect(timed.closed).toBe(true);
  expect(timed.sent.at(-1)).toMatch(/^ERROR\nmessage:/);
  await timed.receive('CONNECT\n\n\0');
  expect(timed.sent.filter((frame) => frame.startsWith('ERROR'))).toHaveLength(1);
});
