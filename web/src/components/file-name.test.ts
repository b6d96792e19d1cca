import { expect, test } from 'vitest';
import { shownFileName } from './file-name.ts';

test('a file name cannot hide its ending with direction marks', () => {
  expect(shownFileName('holiday\u202egpj.exe')).toBe('holidaygpj.exe');
  expect(shownFileName('\u2067מדידה.pdf\u2069')).toBe('מדידה.pdf');
});
