import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentClients } from './recent-clients.js';

test('whatever was sent, it knows whether another client sent something within the time', () => {
  const request = fc.record({ key: fc.constantFrom('a', 'b', 'c'), afterMs: fc.integer({ min: 0, max: 60 }) });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 20 }), fc.constantFrom('a', 'b', 'd'), (requests, asked) => {
      let nowMs = 0;
      const recent = new RecentClients(() => nowMs);
      const sent = requests.map(({ key, afterMs }) => {
        nowMs += afterMs;
        recent.note(key);
        return { key, atMs: nowMs };
      });
      nowMs += 20;
      expect(recent.hasOther(asked, 50)).toBe(sent.some(({ key, atMs }) => key !== asked && nowMs - atMs <= 50));
    }),
  );
});
