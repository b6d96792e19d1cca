import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyChunks } from './body-chunks.js';

test('a body is the same however it is cut into chunks', () => {
  const sizes = fc.array(fc.oneof(fc.nat(20), fc.integer({ min: 4_000, max: 20_000 })), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, (lengths) => {
      const chunks = lengths.map((length, at) => Buffer.alloc(length, `chunk ${at} `));
      const body = new BodyChunks();
      for (const chunk of chunks) body.add(chunk);
      expect(body.join().equals(Buffer.concat(chunks))).toBe(true);
    }),
  );
});

test('a body of chunks of one byte is held in few buffers', () => {
  const body = new BodyChunks();
  for (let at = 0; at < 1_000_000; at++) body.add(Buffer.from([at % 256]));
  expect(body.buffers).toBeLessThan(100);
  expect(body.join().length).toBe(1_000_000);
});
