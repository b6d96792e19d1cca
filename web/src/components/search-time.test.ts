import { afterEach, expect, test, vi } from 'vitest';
import { readTime } from '../find/read-time.ts';
import { formatForSearch } from './search-time.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25 02:30'],
  ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25 02:30+01:00'],
  ['Europe/Berlin', '2026-10-25T01:59:59Z', '2026-10-25 02:59:59+01:00'],
  ['Europe/Berlin', '2026-10-25T02:00:00Z', '2026-10-25 03:00'],
  ['America/St_Johns', '2026-11-01T04:45:00Z', '2026-11-01 01:15-03:30'],
  ['Australia/Lord_Howe', '2026-04-04T15:10:00Z', '2026-04-05 01:40+10:30'],
])('in %s, %s is written %s, and read as the same time', (zone, iso, text) => {
  vi.stubEnv('TZ', zone);
  const ms = Date.parse(iso);
  expect(formatForSearch(ms + 0.5)).toBe(text);
  expect(readTime(text, { nowMs: ms, isEnd: false, locale: 'en-GB' })?.ms).toBe(ms);
});
