import { expect, test } from 'vitest';
import { freeMemory } from './free-memory.js';

test('the memory of a buffer is given back immediately', () => {
  const before = process.memoryUsage().arrayBuffers;
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(50_000_000).buffer, 10);
  freeMemory(bytes);
  expect(bytes.byteLength).toBe(0);
  expect(bytes.buffer.byteLength).toBe(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(25_000_000);
});
