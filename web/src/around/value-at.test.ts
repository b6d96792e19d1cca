import { expect, test } from 'vitest';
import { pointsOf } from '../../../packages/control-system/curve-points.ts';
import type { DeviceHistory } from '../../../packages/control-system/device-view.ts';
import { textAt } from './value-at.ts';

const history = (more: Partial<DeviceHistory>): DeviceHistory => ({
  ...{ name: 'SR:I', start: 0, end: 100, kind: 'number', isBinned: false, isCut: false, problems: [], gaps: [] },
  ...{ units: 'mA', precision: 1, states: null, limits: {} as DeviceHistory['limits'], samples: [], ...more },
});
const at = (device: DeviceHistory, ms: number) =>
  textAt(device, pointsOf(device, { from: 0, to: 100, columns: [0] }), ms);

test('a value lasts until the next one; there is none before the first, in a gap or after the end', () => {
  const device = history({
    samples: [
      { at: 10, value: 12, severity: 'NONE' },
      { at: 40, value: 480.5, severity: 'MAJOR' },
    ],
    gaps: [{ start: 60, end: 70 }],
  });
  expect([5, 10, 39, 40, 65, 101].map((ms) => at(device, ms))).toEqual([
    ...['–', '12.0 mA', '12.0 mA', '480.5 mA (MAJOR)', '–', '–'],
  ]);
});

test('a state has its name, and a text is shown as it is', () => {
  const states = ['Closed', 'Open'];
  expect(at(history({ kind: 'enum', states, samples: [{ at: 1, value: 1, severity: 'NONE' }] }), 50)).toBe('Open');
  const sample = { at: 1, value: null, text: 'Ramping', severity: 'NONE' } as const;
  expect(at(history({ kind: 'text', samples: [sample] }), 50)).toBe('Ramping');
});
