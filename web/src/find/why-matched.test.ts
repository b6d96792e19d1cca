import { describe, expect, test } from 'vitest';
import type { Hit } from '../api/types.ts';
import { otherMatch, visibleSnippet } from './why-matched.ts';

const file = (filename: string, contentType: string) => ({ filename, contentType });
const hit = (fields: object): Hit =>
  ({
    ...{
      title: 'Beam lost',
      snippet: 'Quadrupole tripped.',
      level: 'Info',
      owner: 'tsato',
      logbooks: [{ name: 'RF' }],
    },
    ...{ tags: [], properties: [], attachments: [] },
    ...fields,
  }) as unknown as Hit;

describe('a match that the row does not show is named', () => {
  test.each([
    ['trip', { attachments: [file('trip.csv', 'text/csv')] }, { in: 'file', text: 'trip.csv', spans: [[0, 4]] }],
    ['beam trip', { tags: [{ name: 'trip' }] }, { in: 'tag', text: 'trip', spans: [[0, 4]] }],
    [
      'MAG-1182',
      { properties: [{ name: 'device', attributes: [{ name: 'ticket', value: 'see MAG-1182' }] }] },
      { in: 'property', name: 'device.ticket', text: 'see MAG-1182', spans: [[4, 12]] },
    ],
    [
      'klystron',
      { attachments: [file('a.csv', 'text/csv'), file('b.png', 'image/png')] },
      { in: 'fileText', name: 'a.csv' },
    ],
    ['klystron', { attachments: [file('a.csv', 'text/csv'), file('b.pdf', 'application/pdf')] }, { in: 'fileText' }],
  ])('%s', (query, fields, expected) => {
    expect(otherMatch(hit(fields), query)).toEqual(expected);
  });

  test.each([
    ['beam tripped', {}],
    ['tsato RF', {}],
    ['-klystron level=Info', {}],
    ['klystron', { attachments: [file('b.png', 'image/png')] }],
    // The text has it beyond the snippet, or a file has it: nothing says which.
    ['beam klystron', { highlights: { title: [[0, 4]] }, attachments: [file('a.csv', 'text/csv')] }],
    ['42', { properties: [{ name: 'Log Entry Group', attributes: [{ name: 'id', value: '42' }] }] }],
  ])('%s: nothing', (query, fields) => {
    expect(otherMatch(hit(fields), query)).toBeUndefined();
  });
});

describe('a snippet', () => {
  test.each([
    ['Beam lost again', [[5, 9]], 'Beam lost again'],
    ['The quadrupole supply of cell three tripped', [[36, 43]], '…cell three tripped'],
    [`${'x'.repeat(60)}-trip`, [[61, 65]], `…${'x'.repeat(12)}-trip`],
    [`${'🙂'.repeat(30)}trip`, [[60, 64]], `…${'🙂'.repeat(6)}trip`],
  ] as const)('%s', (text, spans, shown) => {
    const found = visibleSnippet(text, spans);
    expect(found.text).toBe(shown);
    expect(found.text.slice(...(found.spans[0] ?? []))).toBe(text.slice(...spans[0]));
  });
});
