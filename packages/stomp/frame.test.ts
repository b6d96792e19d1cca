import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8, encodeFrame, type Frame, FrameReader, frameLimits, type StompVersion } from './frame.js';
import { StompError } from './stomp-error.js';

const read = (chunks: readonly Uint8Array[], version: StompVersion = '1.2'): Frame[] => {
  const reader = new FrameReader();
  reader.version = version;
  const frames: Frame[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame);
  }
  return frames;
};
const plain = ({ command, headers, body }: Frame) => ({ command, headers: [...headers], body: Buffer.from(body) });

function split(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const frames = (version: StompVersion) => {
  // Older versions have no escape sequences for these characters.
  const value =
    version === '1.2'
      ? text
      : text.map((one) => (version === '1.1' ? one.replaceAll('\r', '') : one.replace(/[\r\n]/g, '').trim()));
  const name = value.map((one) => `x${version === '1.0' ? one.replaceAll(':', '') : one}`);
  return fc.record({
    command: fc.constantFrom('SEND', 'MESSAGE', 'ERROR', 'SUBSCRIBE'),
    headers: fc.uniqueArray(fc.tuple(name, value), { selector: ([one]) => one, maxLength: 8 }),
    body: fc.uint8Array({ maxLength: 200 }),
  });
};

describe.each(['1.0', '1.1', '1.2'] as const)('STOMP %s', (version) => {
  test('encoded frames are read back, in pieces of any size and with heart-beats between them', () => {
    fc.assert(
      fc.property(
        fc.array(frames(version), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        fc.constantFrom('', '\n', '\r\n', '\n\n\r\n'),
        (sent, places, between) => {
          const bytes = Buffer.concat(
            sent.flatMap(({ command, headers, body }) => [
              Buffer.from(between),
              ...encodeFrame(command, headers, body, version),
            ]),
          );
          const expected = sent.map(({ command, headers, body }) => ({
            command,
            headers: body.length === 0 ? headers : [...headers, ['content-length', String(body.length)]],
            body: Buffer.from(body),
          }));
          expect(read(split(bytes, places), version).map(plain)).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('arbitrary bytes are read or rejected, with the same result in pieces of any size', () => {
    const outcome = (chunks: readonly Uint8Array[]) => {
      try {
        return read(chunks, version).map(plain);
      } catch (error) {
        expect(error).toBeInstanceOf(StompError);
        return (error as Error).message;
      }
    };
    const bytes = fc
      .array(
        fc.oneof(
          fc.constantFrom('SEND', '\n', '\r\n', '\n\n', '\0', ':', 'a:b', '\\c', '\\', 'content-length:3', 'CONNECT'),
          fc.string({ unit: 'binary', maxLength: 5 }),
        ),
        { maxLength: 20 },
      )
      .map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 20 }), (all, places) => {
        expect(outcome(split(all, places))).toEqual(outcome([all]));
      }),
      { numRuns: 500 },
    );
  });
});

const one = (raw: string, version?: StompVersion) => read([Buffer.from(raw)], version).map(plain)[0];

test('lines may end with a carriage return, a body without a length ends at NUL, the first of repeated headers counts', () => {
  expect(one('SEND\r\nfoo:1\r\nfoo:2\r\n\r\nbody\0')).toEqual({
    command: 'SEND',
    headers: [['foo', '1']],
    body: Buffer.from('body'),
  });
  expect(one('SEND\ncontent-length:3\n\na\0b\0')?.body).toEqual(Buffer.from('a\0b'));
});

test('escape sequences depend on the version, and CONNECT has none', () => {
  expect(one('SEND\na\\cb:\\n\\\\\\r\n\n\0')?.headers).toEqual([['a:b', '\n\\\r']]);
  expect(one('SEND\na: b\\n \n\n\0', '1.0')?.headers).toEqual([['a', 'b\\n']]);
  expect(one('CONNECT\npasscode: \\n:x\n\n\0')?.headers).toEqual([['passcode', ' \\n:x']]);
  expect(() => one('SEND\na:\\r\n\n\0', '1.1')).toThrow('STOMP 1.1');
  expect(() => one('SEND\na:\\t\n\n\0')).toThrow('STOMP 1.2');
  expect(() => one('SEND\na:\\\n\n\0')).toThrow(StompError);
});

test.each([
  ['a header without a colon', 'SEND\nfoo\n\n\0'],
  ['NUL among the headers', 'SEND\nfoo:1\0'],
  ['no NUL after content-length bytes', 'SEND\ncontent-length:1\n\nabc\0'],
  ['a length that is not a number', 'SEND\ncontent-length:-1\n\nabc\0'],
  ['a length beyond the limit', `SEND\ncontent-length:${frameLimits.bytes}\n\nabc`],
  ['headers beyond the limit', `SEND\n${'a'.repeat(frameLimits.headBytes + 1)}`],
  ['too many headers', `SEND\n${'a:b\n'.repeat(frameLimits.headers + 1)}`],
  ['a body beyond the limit', `SEND\n\n${'a'.repeat(frameLimits.bytes)}`],
])('StompError: %s', (_, raw) => {
  expect(() => one(raw)).toThrow(StompError);
  expect(() => read(Array.from(Buffer.from(raw), (byte) => Buffer.of(byte)))).toThrow(StompError);
});

test('StompError: invalid UTF-8', () => {
  expect(() => read([Buffer.from([0x53, 0xff, 0x0a])])).toThrow('UTF-8');
  expect(() => decodeUtf8(Buffer.from([0xed, 0xa0, 0x80]))).toThrow('UTF-8');
});
