import { expect, test } from 'vitest';
import type { Hit } from '../api/types.ts';
import { deviceNames } from './device-names.ts';

const hit = (title: string, value = ''): Hit =>
  ({ title, properties: [{ name: 'device', attributes: [{ name: 'name', value }] }] }) as unknown as Hit;

test('names that the service has recognised are offered, whatever they look like', () => {
  const hits = [{ ...hit('BPM12 is dead'), devices: ['BPM12'] }];
  expect(deviceNames(hits, 'bpm')).toEqual(['BPM12']);
});

test('complete names that begin with the typed text, the most frequent first', () => {
  const hits = [
    hit('Beam lost: SR:C03-MG:G02A{Quad:1} tripped.'),
    hit('Again (SR:C03-MG:G02A{Quad:1})', 'SR:C03-MG:G02A{Quad:1}'),
    hit('See https://sr.example.org, not: this {x}', 'SR:C03-BI{BLM:14}'),
    { ...hit('Cut'), snippet: '…C03-MG:G02A{Quad:1} SR:C03-MG:G02A{Qu…' },
  ];
  expect(deviceNames(hits, 'sr:c03')).toEqual(['SR:C03-MG:G02A{Quad:1}', 'SR:C03-BI{BLM:14}']);
  expect(deviceNames(hits, 'https:')).toEqual([]);
});

test('a name with letters after a brace is whole, without the punctuation around it', () => {
  const hits = [hit('Ramp of “SR:G02A{Quad:1}I-SP”: slow…'), hit('**SR:G02A{Quad:1}I**.')];
  expect(deviceNames(hits, 'SR:G02A{Quad:1}')).toEqual(['SR:G02A{Quad:1}I', 'SR:G02A{Quad:1}I-SP']);
});
