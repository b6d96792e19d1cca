import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const dir = import.meta.dirname;

type Texts = { readonly [key: string]: string | Texts };

function read(language: string, file: string): Texts {
  return JSON.parse(readFileSync(join(dir, language, file), 'utf8')) as Texts;
}

/** Each text by its path, with the names of what is put into it. */
function placeholders(texts: Texts, path = ''): [string, string[]][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string[]][] => {
    const here = `${path}${key}`;
    if (typeof value !== 'string') return placeholders(value, `${here}.`);
    return [[here, Array.from(value.matchAll(/\{\{(\w+)/g), ([, name = '']) => name).sort()]];
  });
}

describe.each(readdirSync(join(dir, 'en')))('%s', (file) => {
  test('has the same texts in German, with the same values in them', () => {
    expect(placeholders(read('de', file)).sort()).toEqual(placeholders(read('en', file)).sort());
  });
});
