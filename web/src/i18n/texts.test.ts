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

/** The texts that a language needs: those of English, which has two plurals, with its own plurals. */
function needed(english: [string, string[]][], language: string): [string, string[]][] {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  const others = pluralCategories.filter((category) => category !== 'one');
  return english.flatMap(([key, names]): [string, string[]][] => {
    if (key.endsWith('_one') && others.length === pluralCategories.length) return [];
    if (!key.endsWith('_other')) return [[key, names]];
    return others.map((category) => [key.replace(/other$/, category), names]);
  });
}

const languages = readdirSync(dir, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []));

describe.each(languages.filter((language) => language !== 'en'))('texts in %s', (language) => {
  test('has the files of English, and the messages of the server', () => {
    expect(readdirSync(join(dir, language)).sort()).toEqual([...readdirSync(join(dir, 'en')), 'faults.json'].sort());
  });

  test.each(readdirSync(join(dir, 'en')))('%s has the texts of English, with the same values in them', (file) => {
    const expected = needed(placeholders(read('en', file)), language);
    expect(placeholders(read(language, file)).sort()).toEqual(expected.sort());
  });
});

describe.each(languages.filter((language) => language !== 'en'))('messages of the server in %s', (language) => {
  test('belong to errors that there are', () => {
    const page = readFileSync(join(dir, '../../../docs/operator/errors.md'), 'utf8');
    const known = Array.from(page.matchAll(/`([a-z-]+(?:\.[a-z*-]+)?)`/g), ([, code = '']) => code.replace('*', '.*'));
    const codes = placeholders(read(language, 'faults.json')).map(([code]) => code);
    expect(codes.filter((code) => !known.some((one) => new RegExp(`^${one}$`).test(code)))).toEqual([]);
  });

  test('are the same as in the other languages, with the same values', () => {
    expect(placeholders(read(language, 'faults.json'))).toEqual(placeholders(read('de', 'faults.json')));
  });
});
