import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { BerReader, BerWriter, Client } from 'ldapts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { manyPeople, sampleBase, startDirectory } from '../../test/fixtures/embedded-directory.js';
import { MessageFramer } from './message-framing.js';

type Directory = Awaited<ReturnType<typeof startDirectory>>;

async function open({ port }: Directory): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

interface Response {
  readonly messageId: number;
  readonly tag: number;
  /** Absent for an entry. */
  readonly code: number | undefined;
}

/** Collects the responses until the connection ends, or `count` have arrived. */
async function responsesOn(socket: Socket, count = Number.POSITIVE_INFINITY): Promise<Response[]> {
  const framer = new MessageFramer(10_000_000);
  const responses: Response[] = [];
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      framer.push(chunk as Buffer);
      for (let frame = framer.next(); frame; frame = framer.next()) responses.push(parseResponse(frame));
      if (responses.length >= count) break;
    }
  } catch {
    // A reset ends the connection too.
  }
  return responses;
}

function parseResponse(frame: Buffer): Response {
  const reader = new BerReader(frame);
  reader.readSequence();
  const messageId = reader.readInt() ?? -1;
  const tag = reader.readSequence() ?? 0;
  return { messageId, tag, code: tag === 0x64 ? undefined : (reader.readEnumeration() ?? -1) };
}

function message(id: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter({ size: 400_000 });
  writer.startSequence();
  writer.writeInt(id);
  write(writer);
  writer.endSequence();
  return writer.buffer;
}

function searchFor(id: number, filter: Buffer, base = sampleBase): Buffer {
  return message(id, (writer) => {
    writer.startSequence(0x63);
    writer.writeString(base);
    writer.writeEnumeration(2);
    writer.writeEnumeration(0);
    writer.writeInt(0);
    writer.writeInt(0);
    writer.writeBoolean(false);
    for (const byte of filter) writer.writeByte(byte);
    writer.startSequence();
    writer.endSequence();
    writer.endSequence();
  });
}

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const everything = Buffer.concat([bytes('87 0b'), Buffer.from('objectClass')]);
const whoAmI = (id: number) =>
  message(id, (writer) => {
    writer.startSequence(0x77);
    writer.writeString('1.3.6.1.4.1.4203.1.11.3', 0x80);
    writer.endSequence();
  });
const simpleBind = (id: number, dn: string, password: string, version = 3) =>
  message(id, (writer) => {
    writer.startSequence(0x60);
    writer.writeInt(version);
    writer.writeString(dn);
    writer.writeString(password, 0x80);
    writer.endSequence();
  });

async function expectStillServing({ url, logged }: Directory): Promise<void> {
  const client = new Client({ url, timeout: 300_000 });
  try {
    await client.bind(`uid=operator,ou=people,${sampleBase}`, 'operatorPass');
    expect((await client.search(sampleBase, { filter: '(uid=admin)' })).searchEntries).toHaveLength(1);
  } finally {
    await client.unbind();
  }
  expect(logged).toEqual([]);
}

describe('a client that sends', () => {
  test.each([
    ['something other than LDAP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['an indefinite length', bytes('30 80 02 01 01 00 00')],
    ['a length of a length of 127 bytes', bytes('30 ff 01 02')],
    ['a negative length', bytes('30 84 ff ff ff ff 02 01 01')],
    ['a message above the size limit', bytes('30 84 00 10 00 00 02 01 01')],
    ['an empty message', bytes('30 00')],
    ['no operation', bytes('30 03 02 01 01')],
    ['message ID 0', bytes('30 05 02 01 00 42 00')],
    ['a negative message ID', bytes('30 05 02 01 ff 42 00')],
    ['a message ID without bytes', bytes('30 04 02 00 42 00')],
    ['an operation that exceeds its message', bytes('30 07 02 01 01 60 7f 02 01')],
    ['an operation that contains a negative length', bytes('30 0a 02 01 01 60 84 ff ff ff f6 00')],
    ['an unknown operation', bytes('30 05 02 01 01 7f 00')],
    ['a response', bytes('30 0c 02 01 01 61 07 0a 01 00 04 00 04 00')],
    ['malformed controls', bytes('30 0c 02 01 01 77 02 80 00 a0 03 30 01 05')],
  ])('%s receives a notice of disconnection', async (_case, sent) => {
    const directory = await startDirectory();
    const socket = await open(directory);
    socket.write(sent);
    expect(await responsesOn(socket)).toEqual([{ messageId: 0, tag: 0x78, code: 2 }]);
    await expectStillServing(directory);
  });

  test.each([
    ['a bind without content', message(1, (writer) => writer.writeBuffer(Buffer.alloc(0), 0x60)), 0x61, 2],
    [
      'a bind whose name has a negative length',
      message(1, (w) => w.writeBuffer(bytes('02 01 03 04 84 ff ff ff f0'), 0x60)),
      0x61,
      2,
    ],
    ['version 2', simpleBind(1, '', '', 2), 0x61, 2],
    [
      'a name that is not UTF-8',
      message(1, (writer) => writer.writeBuffer(bytes('02 01 03 04 01 ff 80 00'), 0x60)),
      0x61,
      2,
    ],
    ['a filter of unknown type', searchFor(1, bytes('af 00')), 0x65, 2],
    ['a truncated filter', searchFor(1, bytes('a3 03 04 01 63')), 0x65, 2],
    ['an empty negation', searchFor(1, bytes('a2 00')), 0x65, 2],
    ['substrings out of order', searchFor(1, bytes('a4 0b 04 02 63 6e 30 05 82 01 61 81 00')), 0x65, 2],
    ['a substring filter without substrings', searchFor(1, bytes('a4 06 04 02 63 6e 30 00')), 0x65, 2],
    ['a filter of 65 levels', searchFor(1, nested(65)), 0x65, 11],
    ['a filter of 20,000 levels', searchFor(1, nested(20_000)), 0x65, 11],
    ['a filter of 10,000 parts', searchFor(1, wide(10_000)), 0x65, 11],
    ['a filter with a long value', searchFor(1, longValue()), 0x65, 11],
    ['an unknown scope', badScope(), 0x65, 2],
    ['a name of 20,000 levels', searchFor(1, everything, `${'a=,'.repeat(20_000)}a=`), 0x65, 32],
    ['a compare without content', message(1, (writer) => writer.writeBuffer(Buffer.alloc(0), 0x6e)), 0x6f, 2],
    [
      'an extended operation without a name',
      message(1, (writer) => writer.writeBuffer(Buffer.alloc(0), 0x77)),
      0x78,
      2,
    ],
  ])('%s is refused, and the connection stays usable', async (_case, sent, tag, code) => {
    const directory = await startDirectory();
    const socket = await open(directory);
    socket.write(Buffer.concat([sent, whoAmI(2)]));
    expect(await responsesOn(socket, 2)).toEqual([
      { messageId: 1, tag, code },
      { messageId: 2, tag: 0x78, code: 0 },
    ]);
    await expectStillServing(directory);
  });

  test('absolute true and false filters receives all entries or none', async () => {
    const socket = await open(await startDirectory());
    socket.write(Buffer.concat([searchFor(1, bytes('a0 00')), searchFor(2, bytes('a1 00'))]));
    const responses = await responsesOn(socket, 12);
    expect(responses.filter(({ tag }) => tag === 0x64)).toHaveLength(10);
    expect(responses.filter(({ tag }) => tag === 0x65)).toHaveLength(2);
    expect(responses.some(({ messageId, tag }) => messageId === 2 && tag === 0x64)).toBe(false);
  });

  test('one request byte by byte receives its response', async () => {
    const socket = await open(await startDirectory());
    for (const byte of whoAmI(7)) {
      socket.write(Buffer.from([byte]));
      await sleep(1);
    }
    expect(await responsesOn(socket, 1)).toEqual([{ messageId: 7, tag: 0x78, code: 0 }]);
  });

  test('thousands of requests at the same time receives all responses in order', async () => {
    const directory = await startDirectory();
    const socket = await open(directory);
    const count = 5_000;
    socket.write(Buffer.concat(Array.from({ length: count }, (_, n) => whoAmI(n + 1))));
    await expectStillServing(directory);
    const responses = await responsesOn(socket, count);
    expect(responses.map(({ messageId }) => messageId)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  });

  test('arbitrary bytes affects no other client', async () => {
    const directory = await startDirectory();
    const valid = [whoAmI(1), simpleBind(2, 'cn=x', 'y'), searchFor(3, bytes('a3 07 04 02 63 6e 04 01 61'))];
    const mutated = fc
      .tuple(fc.constantFrom(...valid), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }))
      .map(([message, changes]) => {
        const copy = Buffer.from(message);
        for (const [at, byte] of changes) copy[at % copy.length] = byte;
        return copy;
      });
    const sent = fc.oneof(
      mutated,
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 5 }), async (messages) => {
        const socket = await open(directory);
        socket.resume();
        socket.end(Buffer.concat(messages));
        if (!socket.closed) await once(socket, 'close');
      }),
      { numRuns: 300 },
    );
    await expectStillServing(directory);
  });
});

describe('a client that', () => {
  test('does not complete a message within the time limit is disconnected', async () => {
    const directory = await startDirectory({ limits: { messageTimeoutMs: 200 } });
    const socket = await open(directory);
    const trickle = setInterval(() => socket.write('x'), 50);
    onTestFinished(() => clearInterval(trickle));
    socket.write(bytes('30 82 10 00 02 01 01'));
    expect(await responsesOn(socket)).toEqual([]);
    await expectStillServing(directory);
  });

  test('is idle for too long is disconnected', async () => {
    const socket = await open(await startDirectory({ limits: { idleTimeoutMs: 100 } }));
    expect(await responsesOn(socket)).toEqual([]);
  });

  test('does not read its responses is disconnected', async () => {
    const people = manyPeople(5_000);
    const directory = await startDirectory({ ldif: people, limits: { messageTimeoutMs: 300 } });
    const socket = await open(directory);
    const broken = once(socket, 'error');
    socket.pause();
    const flood = Buffer.concat(Array.from({ length: 200 }, (_, n) => searchFor(n + 1, everything, 'dc=x')));
    socket.write(flood);
    // A client that does not read notices the end only when it writes.
    const writing = setInterval(() => socket.write(flood.subarray(0, 1)), 50);
    await broken;
    clearInterval(writing);
    expect(directory.logged).toEqual([]);
  });

  test('disconnects in the middle of a response affects no other client', async () => {
    const directory = await startDirectory();
    for (let n = 0; n < 20; n += 1) {
      const socket = await open(directory);
      socket.write(
        Buffer.concat([searchFor(1, everything), simpleBind(2, `uid=physicist,ou=people,${sampleBase}`, 'x')]),
      );
      if (n % 2) await once(socket, 'data');
      socket.resetAndDestroy();
    }
    await expectStillServing(directory);
  });

  test('abandons a search receives no result for it', async () => {
    const directory = await startDirectory({ ldif: manyPeople(5_000) });
    const socket = await open(directory);
    const nothing = bytes('a4 0a 04 02 63 6e 30 04 81 02 7a 7a');
    const abandon = (id: number) => message(9, (writer) => writer.writeInt(id, 0x50));
    socket.write(
      Buffer.concat([
        searchFor(1, nothing, 'dc=x'),
        searchFor(2, nothing, 'dc=x'),
        abandon(1),
        abandon(2),
        abandon(3),
        whoAmI(4),
      ]),
    );
    expect(await responsesOn(socket, 1)).toEqual([{ messageId: 4, tag: 0x78, code: 0 }]);
  });

  test('unbinds is disconnected', async () => {
    const socket = await open(await startDirectory());
    socket.write(Buffer.concat([whoAmI(1), message(2, (writer) => writer.writeBuffer(Buffer.alloc(0), 0x42))]));
    expect((await responsesOn(socket)).length).toBeLessThanOrEqual(1);
  });

  test('opens as many connections as possible does not lock out others: idle connections are evicted', async () => {
    const directory = await startDirectory({ limits: { maxConnections: 5 } });
    const user = await open(directory);
    user.write(whoAmI(1));
    await responsesOn(user, 1);
    const idlers = await Promise.all(Array.from({ length: 20 }, () => open(directory)));
    await expectStillServing(directory);
    user.write(whoAmI(2));
    expect(await responsesOn(user, 1)).toEqual([{ messageId: 2, tag: 0x78, code: 0 }]);
    for (const idler of idlers) idler.resume();
    const left = () => idlers.filter(({ closed }) => !closed);
    while (left().length >= 5) {
      await Promise.race(left().map((idler) => new Promise((resolve) => idler.once('close', resolve))));
    }
  });
});

function nested(levels: number): Buffer {
  let size = everything.length;
  const heads: Buffer[] = [];
  for (let level = 1; level < levels; level += 1) {
    const length =
      size < 0x80
        ? [size]
        : size <= 0xffff
          ? [0x82, size >> 8, size & 0xff]
          : [0x83, size >> 16, (size >> 8) & 0xff, size & 0xff];
    heads.push(Buffer.from([0xa2, ...length]));
    size += 1 + length.length;
  }
  return Buffer.concat([...heads.reverse(), everything]);
}

function wide(parts: number): Buffer {
  const size = parts * everything.length;
  return Buffer.concat([
    Buffer.from([0xa1, 0x83, size >> 16, (size >> 8) & 0xff, size & 0xff]),
    ...Array(parts).fill(everything),
  ]);
}

function longValue(): Buffer {
  const writer = new BerWriter({ size: 100_000 });
  writer.startSequence(0xa3);
  writer.writeString('cn');
  writer.writeString('x'.repeat(10_000));
  writer.endSequence();
  return writer.buffer;
}

function badScope(): Buffer {
  const search = Buffer.from(searchFor(1, everything));
  const at = search.indexOf(bytes('0a 01 02 0a 01 00'));
  search[at + 2] = 9;
  return search;
}
