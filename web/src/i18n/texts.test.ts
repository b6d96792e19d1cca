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

const languages = readdirSync(dir, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []));

test('each language that can be chosen has texts, which the program loads', () => {
  const program = readFileSync(join(dir, 'i18n.ts'), 'utf8');
  const [, chosen = ''] = /languages = \{([^}]*)\}/.exec(program) ?? [];
  expect(Array.from(chosen.matchAll(/(\w+):/g), ([, name]) => name).sort()).toEqual(languages.sort());
  const [, loaded = ''] = /glob<.*>\('\.\/\{([^}]*)\}/.exec(program) ?? [];
  expect(loaded.split(',').sort()).toEqual(languages.sort());
});

describe.each(languages.filter((language) => language !== 'en'))('texts in %s', (language) => {
  test('has the files of English', () => {
    expect(readdirSync(join(dir, language)).sort()).toEqual(readdirSync(join(dir, 'en')).sort());
  });

  test.each(readdirSync(join(dir, 'en')))('%s has the texts of English, with the same values in them', (file) => {
    expect(placeholders(read(language, file)).sort()).toEqual(placeholders(read('en', file)).sort());
  });
});
