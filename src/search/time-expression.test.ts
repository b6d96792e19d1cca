import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../kernel/fault.js';
import { checkZone, parseTime } from './time-expression.js';

const now = Date.UTC(2026, 2, 31, 12, 0, 0);
const iso = (text: string, zone = 'UTC') => new Date(parseTime(text, zone, now)).toISOString();

describe('zones', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Z', 'UTC'],
    ['+02:00', '+02:00'],
    ['02:00', '+02:00'],
    ['-0330', '-03:30'],
    ['GMT+2', '+02:00'],
    ['UTC-11', '-11:00'],
    ['gmt 5:30', '+05:30'],
    ['0200', '+02:00'],
    ['Etc/GMT+2', 'Etc/GMT+2'],
    ['Etc/GMT 2', 'Etc/GMT+2'],
  ])('%s is %s', (zone, expected) => {
    expect(checkZone(zone)).toBe(expected);
    expect(() => parseTime('14:30', checkZone(zone), now)).not.toThrow();
  });

  test.each(['', '2', 'GMT2', '+25:00', '+02:75', 'Mars/Olympus', '+02:00[UTC]'])('“%s” is refused', (zone) => {
    expect(() => checkZone(zone)).toThrow(Fault);
  });
});

describe('time expressions', () => {
  test.each([
    ['2024-03-01', '2024-03-01T00:00:00.000Z'],
    ['2024-03-01 14:30', '2024-03-01T14:30:00.000Z'],
    ['2024-03-01 14:30:05', '2024-03-01T14:30:05.000Z'],
    ['2024-03-01 14:30:05.123', '2024-03-01T14:30:05.123Z'],
    ['2024-03-01T14:30', '2024-03-01T14:30:00.000Z'],
    ['2024-03-01T14:30:00Z', '2024-03-01T14:30:00.000Z'],
    ['2024-03-01t14:30:00z', '2024-03-01T14:30:00.000Z'],
    ['2024-03-01T14:30:00.5+02:00', '2024-03-01T12:30:00.500Z'],
    ['2024-03-01 14:30+0200', '2024-03-01T12:30:00.000Z'],
    ['14:30', '2026-03-31T14:30:00.000Z'],
    ['14:30:15', '2026-03-31T14:30:15.000Z'],
    ['1709303400000', '2024-03-01T14:30:00.000Z'],
    ['1709303400', '2024-03-01T14:30:00.000Z'],
    ['1709303400.25', '2024-03-01T14:30:00.250Z'],
    ['1709303400000.75', '2024-03-01T14:30:00.000Z'],
    ['2024', '2024-01-01T00:00:00.000Z'],
    ['20240301', '2024-03-01T00:00:00.000Z'],
    ['2024-03-01T14:30:00 02:00', '2024-03-01T12:30:00.000Z'],
    ['2024-03-01 14:30 0200', '2024-03-01T12:30:00.000Z'],
    ['2024-03-01T14:30:00.250 02', '2024-03-01T12:30:00.250Z'],
    ['2024-03-01 02:00', '2024-03-01T02:00:00.000Z'],
    ['now', '2026-03-31T12:00:00.000Z'],
    ['  NOW ', '2026-03-31T12:00:00.000Z'],
    ['12 hours', '2026-03-31T00:00:00.000Z'],
    ['2 weeks 3 d', '2026-03-14T12:00:00.000Z'],
    ['1.5 days', '2026-03-30T00:00:00.000Z'],
    ['8 hours, 3 min', '2026-03-31T03:57:00.000Z'],
    ['90s', '2026-03-31T11:58:30.000Z'],
    ['1 month', '2026-02-28T12:00:00.000Z'],
    ['1 mo 1 d', '2026-02-27T12:00:00.000Z'],
    ['2 years', '2024-03-31T12:00:00.000Z'],
    ['500 ms', '2026-03-31T11:59:59.500Z'],
  ])('%s is %s', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  test.each([
    '',
    'yesterday',
    '2024-13-01',
    '2024-02-30',
    '2024-03-01 25:00',
    '2024-3-1',
    '24:30',
    '12 parsecs',
    '1.5 months',
    '0',
    '-1',
    '12',
    '1430',
    '202403',
    '20240230',
    '170930340',
    '17093034000',
    '-1709303400',
    '+1709303400',
    '1.5',
    'now now',
    '12 hours ago please',
    '2024-03-01T14:30:00Q',
    '2024-03-01[Europe/Berlin]',
    '99999999999999999',
    '9999999999999999',
    '1e3 days',
  ])('“%s” is refused with an example', (text) => {
    const refusal = (() => {
      try {
        return parseTime(text, 'UTC', now);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ kind: 'invalid', code: 'search.bad-time' });
    expect((refusal as Fault).message).toContain('12 hours');
  });

  test.each([
    ['2024', '2024-12-31T22:59:59.999Z'],
    ['20240301', '2024-03-01T22:59:59.999Z'],
    ['2024-03-01', '2024-03-01T22:59:59.999Z'],
    // The day on which summer time begins.
    ['20240331', '2024-03-31T21:59:59.999Z'],
    ['2024-03-01 14:30', '2024-03-01T13:30:00.000Z'],
    ['1709303400', '2024-03-01T14:30:00.000Z'],
  ])('as the end of a window in Berlin, %s is %s: all of a day or a year', (text, expected) => {
    expect(new Date(parseTime(text, 'Europe/Berlin', now, 'end')).toISOString()).toBe(expected);
  });

  test('the refusal of a number that is not a time names the accepted forms', () => {
    for (const text of ['0', '12', '202403', '170930340']) {
      expect(() => parseTime(text, 'UTC', now)).toThrow(/year \(2024\), a date \(20240301\).*seconds \(10 digits\)/);
    }
  });

  test('the zone applies where the text has no offset', () => {
    expect(iso('2024-07-01 12:00', 'Europe/Berlin')).toBe('2024-07-01T10:00:00.000Z');
    expect(iso('2024-07-01 12:00Z', 'Europe/Berlin')).toBe('2024-07-01T12:00:00.000Z');
    expect(iso('00:30', 'Asia/Tokyo')).toBe('2026-03-30T15:30:00.000Z');
  });

  test('a local time that a clock change skips moves forward by the gap', () => {
    expect(iso('2024-03-31 02:30', 'Europe/Berlin')).toBe('2024-03-31T01:30:00.000Z');
  });

  test('the earlier of two instants with the same local time is used', () => {
    expect(iso('2024-10-27 02:30', 'Europe/Berlin')).toBe('2024-10-27T00:30:00.000Z');
  });

  test('months and years follow the calendar of the zone', () => {
    const midnight = Date.UTC(2026, 2, 31, 22, 30);
    expect(new Date(parseTime('1 month', 'Europe/Berlin', midnight)).toISOString()).toBe('2026-02-28T23:30:00.000Z');
  });

  test('every instant can be parsed from its ISO form and its milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 0) }), (ms) => {
        expect(parseTime(new Date(ms).toISOString(), 'Asia/Tokyo', now)).toBe(ms);
        if (ms >= 1e12 && ms < 1e13) expect(parseTime(String(ms), 'Asia/Tokyo', now)).toBe(ms);
      }),
    );
  });

  test('any input gives an instant or a Fault', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9 :.TZhmsd,+-]{1,24}$/)), (text) => {
        try {
          expect(Number.isSafeInteger(parseTime(text, 'Europe/Berlin', now))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      }),
    );
  });

  test.each(['UTC', 'America/St_Johns'])('%s is a zone', (zone) => {
    expect(checkZone(zone)).toBe(zone);
  });

  test.each(['Europe/', '../etc'])('“%s” is not a zone', (zone) => {
    expect(() => checkZone(zone)).toThrow(expect.objectContaining({ code: 'search.bad-zone' }));
  });
});
