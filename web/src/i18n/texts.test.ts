import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const dir = import.meta.dirname;

type Texts = { readonly [key: string]: string | Texts };

function read(language: string, file: string): Texts {
  return JSON.parse(readFileSync(join(dir, language, file), 'utf8')) as Texts;
}

/** Returns each text by its path, with the names of its placeholders. */
function placeholders(texts: Texts, path = ''): [string, string[]][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string[]][] => {
    const here = `${path}${key}`;
    if (typeof value !== 'string') return placeholders(value, `${here}.`);
    return [[here, Array.from(value.matchAll(/\{\{(\w+)/g), ([, name = '']) => name).sort()]];
  });
}

/** Returns the texts that a language needs: those of English, but with the plural forms of the language. */
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

/** Errors of requests that only other programs send, or that the client handles without showing them. */
const unshown: Readonly<Record<string, string>> = {
  attachment: 'bad-id bad-range duplicate-* exactly-one-file id-taken unmatched-file',
  auth: 'bad-return-path bad-token device-sign-in-over malformed no-device-sign-in token-required',
  catalog: 'name-mismatch',
  changes: 'bad-position unknown-position',
  delivery: 'unknown-link',
  draft: 'bad-range empty file-changed file-unnamed wrong-position',
  entry: 'bad-redaction id-mismatch id-taken missing-id',
  import: '* bad-mapping source-invalid source-refused source-unavailable template-changed',
  lease: 'lost',
  live: 'too-many-from-address websocket-required',
  multipart: 'malformed missing-entry',
  request:
    'aborted bad-host bad-url content-encoding content-type expectation headers-too-large inexact-number invalid malformed malformed-json refused too-deep wrong-method',
  run: 'block-removed block-taken empty-block full missing-blocks not-a-run',
  search: 'bad-buckets bad-interval bad-page bad-position bad-sort bad-view disk-full feed-timeout feed-too-large',
  suggest: 'bad-key bad-size too-long',
  watch: 'incomplete',
};

describe.each(languages.filter((language) => language !== 'en'))('messages of the server in %s', (language) => {
  const page = readFileSync(join(dir, '../../../docs/operator/errors.md'), 'utf8');
  const documented = Array.from(page.matchAll(/`([a-z-]+(?:\.[a-z*-]+)?)`/g), ([, code = '']) => code);
  const translated = placeholders(read(language, 'faults.json')).map(([code]) => code);
  const isOf = (code: string, pattern: string) => new RegExp(`^${pattern.replace('*', '.*')}$`).test(code);

  test('belong to errors that exist', () => {
    const unknown = translated.filter((code) => !documented.some((pattern) => isOf(code, pattern)));
    // The error of the client itself.
    expect(unknown).toEqual(['network']);
  });

  test('exist for each error that the client shows', () => {
    const errors = documented.filter((code) => code.includes('.') && !code.endsWith('.json'));
    const english = errors.filter((pattern) => !translated.some((code) => isOf(code, pattern)));
    const expected = Object.entries(unshown).flatMap(([area, names]) =>
      names.split(' ').map((name) => `${area}.${name}`),
    );
    expect([...new Set(english)].sort()).toEqual(expected.sort());
  });

  test('are the same as in the other languages, with the same values', () => {
    expect(placeholders(read(language, 'faults.json'))).toEqual(placeholders(read('de', 'faults.json')));
  });
});
