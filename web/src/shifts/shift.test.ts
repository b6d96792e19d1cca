import { expect, test } from 'vitest';
import { shiftAfter, shiftAt, shiftBefore } from './shift.ts';

const plan = {
  timeZone: 'Europe/Berlin',
  shifts: [
    { name: 'Early', start: '07:00' },
    { name: 'Late', start: '15:00' },
    { name: 'Night', start: '23:00' },
  ],
};
const at = (text: string) => Date.parse(text);

test.each([
  ['2026-11-17T03:52:00+01:00', 'Night', '2026-11-16T23:00:00+01:00', '2026-11-17T07:00:00+01:00'],
  ['2026-11-17T07:00:00+01:00', 'Early', '2026-11-17T07:00:00+01:00', '2026-11-17T15:00:00+01:00'],
  ['2026-11-17T23:30:00+01:00', 'Night', '2026-11-17T23:00:00+01:00', '2026-11-18T07:00:00+01:00'],
])('at %s it is the shift %s', (time, name, start, end) => {
  expect(shiftAt(at(time), plan)).toEqual({ name, startMs: at(start), endMs: at(end) });
});

test('the night in which clocks change is an hour longer', () => {
  const { startMs, endMs } = shiftAt(at('2026-10-25T03:30:00+01:00'), plan);
  expect((endMs - startMs) / 3_600_000).toBe(9);
});

test('the shifts before and after', () => {
  const night = shiftAt(at('2026-11-17T03:52:00+01:00'), plan);
  expect(shiftBefore(night, plan).name).toBe('Late');
  expect(shiftAfter(night, plan).name).toBe('Early');
});

test('without configured shifts, each day is one shift', () => {
  const { startMs, endMs } = shiftAt(at('2026-11-17T03:52:00Z'), { shifts: [], timeZone: 'UTC' });
  expect([startMs, endMs]).toEqual([at('2026-11-17T00:00:00Z'), at('2026-11-18T00:00:00Z')]);
});
