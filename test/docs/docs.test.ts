import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filterKeys } from '../../packages/search-language/query-text.js';
import { configurationPage, listUndocumented } from '../../scripts/configuration-page.js';
import { directoriesPage } from '../../scripts/directories-page.js';
import { listUnlisted } from '../../scripts/docs-site/pages.js';
import { existingSitesSection } from '../../scripts/existing-sites-page.js';
import { SubscriberSchema } from '../../src/api/admin/subscribers.schema.js';
import { helpLanguages, helpPages } from '../../src/api/service/help.js';
import { backupTables } from '../../src/backup/backup-tables.js';
import { listAlwaysUncovered, tableCoverage } from '../../src/backup/coverage.js';
import { schemeNames } from '../../src/config/directory/schemes.js';
import { findSetting, settingNames } from '../../src/config/settings.js';
import { subscriberKinds } from '../../src/config/subscribers/subscriber-keys.js';
import { describeError } from '../../src/http/reply/error-body.js';
import { Fault, type FaultKind } from '../../src/kernel/fault.js';
import { productDir, productVersion } from '../../src/kernel/product.js';

const read = (...path: string[]) => readFileSync(join(productDir, ...path), 'utf8');

function sources(): string[] {
  return readdirSync(join(productDir, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => read('src', file));
}

test('docs/operator/configuration.md is generated from the settings (npm run docs)', () => {
  expect(listUndocumented()).toEqual([]);
  expect(read('docs', 'operator', 'configuration.md')).toBe(configurationPage());
});

test('each setting is read, beyond its row in the table', () => {
  const files = readdirSync(join(productDir, 'src', 'config'), { recursive: true, encoding: 'utf8' });
  const programs = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const code = programs.map((file) => read('src', 'config', file).replace(/'[^'\n]*'/g, '')).join('\n');
  const uses = (name: string) => code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
  expect(settingNames.filter((name) => uses(name) < 2)).toEqual([]);
});

test('each sign-in provider is in the description of its setting, and in docs/operator/sign-in.md', () => {
  const { description } = findSetting('authenticationProviders');
  const page = read('docs', 'operator', 'sign-in.md');
  expect(schemeNames.filter((name) => !description.includes(name) || !page.includes(`| \`${name}\` |`))).toEqual([]);
});

test('each kind of subscriber is in the description of the API, and in docs/operator/subscribers.md', () => {
  const description = JSON.stringify(SubscriberSchema.properties.kind);
  const page = read('docs', 'operator', 'subscribers.md');
  const isNamed = (kind: string) => description.includes(kind) && page.includes(`\`${kind}\``);
  expect(subscriberKinds.filter((kind) => !isNamed(kind))).toEqual([]);
});

test('docs/operator/directories.md is generated from the keys (npm run docs)', () => {
  expect(read('docs', 'operator', 'directories.md')).toBe(directoriesPage());
});

test('the last section of docs/operator/moving-in.md is generated from the known keys (npm run docs)', () => {
  expect(read('docs', 'operator', 'moving-in.md').endsWith(`\n\n${existingSitesSection()}`)).toBe(true);
});

describe('docs/operator/errors.md', () => {
  const page = read('docs', 'operator', 'errors.md');
  const explained = Array.from(
    page.matchAll(/^\| `([\w.*-]+)` \| (\w+) \| .+ \|$/gm),
    ([, code = '', status = '']) => [code, status] as const,
  );
  const listed = Array.from(page.matchAll(/^- (\d+): (.+)$/gm)).map(([, status = '', codes = '']) =>
    codes.split(', ').map((code) => [code.replaceAll('`', ''), status] as const),
  );
  const documented = new Map([explained, ...listed].flat());
  /** A placeholder in a code stands for any word. */
  const pattern = (code: string) => code.replace(/\$\{[^}]*\}/, '*');
  const raised = sources().flatMap((source) => [
    ...Array.from(
      source.matchAll(/(?:new Fault|limitFault|super)\(\s*'([\w-]+)',\s*['`]([^'`]+)['`]/g),
      ([, kind = '', code = '']) => ({
        code: pattern(code),
        status: String(describeError(new Fault(kind as FaultKind, code, '')).status),
      }),
    ),
    // Codes of the limited lists, see list-limits.ts.
    ...Array.from(source.matchAll(/(?:full|tooLarge): '([\w.-]+)'/g), ([, code = '']) => ({ code, status: '409' })),
    ...Array.from(source.matchAll(/status: (\d+),\s*code: '([\w.-]+)'/g), ([, status = '', code = '']) => ({
      code,
      status,
    })),
  ]);
  const rowOf = (code: string) =>
    [code, code.replace(/-[\w*-]+$/, '-*'), code.replace(/\.(too-many|unknown|duplicate)-.+$/, '.$1-*')].find((row) =>
      documented.has(row),
    );

  test('has each code that the service can respond with, with its status', () => {
    expect(raised.length).toBeGreaterThan(60);
    for (const { code, status } of raised) {
      const row = rowOf(code);
      expect(row, code).toBeDefined();
      expect(documented.get(row ?? ''), code).toBe(status);
    }
  });

  test('has no code that no longer exists', () => {
    const used = new Set(raised.map(({ code }) => rowOf(code)));
    expect([...documented.keys()].filter((code) => !used.has(code))).toEqual(['request.refused']);
  });

  test('names each code once, in alphabetical order', () => {
    const lists = [explained, ...listed].map((list) => list.map(([code]) => code));
    for (const codes of lists) expect(codes).toEqual(codes.toSorted());
    expect(lists.flat()).toHaveLength(documented.size);
  });
});

test('each row of a table has as many cells as its head', () => {
  const cells = (row: string) => row.trim().replaceAll('\\|', '').split('|').length;
  const pages = [
    ...readdirSync(productDir),
    ...readdirSync(join(productDir, 'docs'), { recursive: true, encoding: 'utf8' }).map((page) => join('docs', page)),
  ].filter((page) => page.endsWith('.md'));
  let rows = 0;
  for (const page of pages) {
    let head: string | undefined;
    for (const line of read(page)
      .replace(/^ *```.*?^ *```/gms, '')
      .split('\n')) {
      if (!/^ *[|]/.test(line)) {
        head = undefined;
        continue;
      }
      head ??= line;
      rows += 1;
      expect(cells(line), `${page}: ${line}`).toBe(cells(head));
    }
  }
  expect(rows).toBeGreaterThan(500);
});

test('docs/operator/ledger.md lists what the ledger does not cover, and each table is covered or in the list', () => {
  const page = read('docs', 'operator', 'ledger.md');
  const [, list = ''] = page.split('### Uncovered data');
  const listed = Array.from((list.split('\n## ')[0] ?? '').matchAll(/^- (.+)$/gm), ([, what]) => what);
  expect(listed).toEqual(listAlwaysUncovered());
  expect(Object.keys(tableCoverage).sort()).toEqual(backupTables.map(({ name }) => name).sort());
});

test('each help page exists in each language of the help, and no other', () => {
  const pages = helpPages.flatMap((page) => helpLanguages.map((language) => `${page}_${language}.html`));
  expect(readdirSync(join(productDir, 'assets', 'help')).sort()).toEqual(pages.sort());
});

test.each(helpLanguages)('the help on searches in %s has each key of a filter', (language) => {
  const page = read('assets', 'help', `SearchHelp_${language}.html`);
  expect(filterKeys.filter((key) => !page.includes(`${key}=`))).toEqual([]);
});

test('docs/operator/monitoring.md names each metric', () => {
  const page = read('docs', 'operator', 'monitoring.md');
  const names = sources().flatMap((source) => source.match(/(?<=['`])logbook_[a-z_]+(?=['`])/g) ?? []);
  // `logbook_set` is a table.
  const metrics = names.filter((name) => name !== 'logbook_set');
  expect(metrics.length).toBeGreaterThan(2);
  for (const metric of metrics) expect(page).toMatch(new RegExp(`\`${metric}[\`{]`));
});

test('decisions are numbered without a gap, and each has a status and a date', () => {
  const names = readdirSync(join(productDir, 'docs', 'adr')).toSorted();
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_name, at) => at + 1));
  for (const name of names) {
    const [title, , status] = read('docs', 'adr', name).split('\n');
    expect(title, name).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}[.] `));
    expect(status, name).toMatch(/^[*]{2}Status[.][*]{2} (Accepted|Superseded by \[.+\]\(.+\)), 20\d\d-\d\d-\d\d[.]/);
  }
});

test('the README, the changelog, the manifests and the lock files name this version', () => {
  expect(read('README.md')).toContain(`npx ./logbook-service-${productVersion}.tgz`);
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${productVersion.replaceAll('.', '[.]')} `, 'm'));
  for (const name of ['logbook', 'migrate']) {
    expect(read('deploy', 'kubernetes', `${name}.yaml`)).toContain(`/logbook:${productVersion}\n`);
  }
  for (const folder of ['.', 'web', 'tools']) {
    expect(JSON.parse(read(folder, 'package.json'))).toMatchObject({ version: productVersion });
  }
  for (const folder of ['.', 'tools']) {
    expect(JSON.parse(read(folder, 'package-lock.json'))).toMatchObject({ version: productVersion });
  }
});

test('each page is in the table of contents', () => {
  expect(listUnlisted()).toEqual([]);
});

describe('the documents name only what exists:', () => {
  const pages = [
    ...readdirSync(productDir).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(productDir, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name.replaceAll('\\', '/')}`),
  ];
  const sourceNames = ['src', 'packages', 'test', 'bench', 'scripts', 'web/src'].flatMap((folder) =>
    readdirSync(join(productDir, folder), { recursive: true, encoding: 'utf8' }).map((name) => basename(name)),
  );
  const folders = 'src|packages|test|bench|scripts|plugins|web|assets|docs|[.]ci|[.]github';

  test.each(pages)('paths in %s', (page) => {
    const paths = [...read(page).matchAll(new RegExp(`\`((?:${folders})/[^\`\\s]*)\``, 'g'))].map(
      ([, path = '']) => path,
    );
    // A star or a name in angle brackets stands for several files.
    for (const path of paths.filter((one) => !/[*<…]/.test(one))) {
      expect(existsSync(join(productDir, path)), path).toBe(true);
    }
  });

  test.each(pages)('source files in %s, also without their folder', (page) => {
    const names = [...read(page).matchAll(/`(?:[^`\s]*\/)?([\w-]+(?:[.]\w+)*[.]ts)`/g)].map(([, name = '']) => name);
    for (const name of names) expect(sourceNames, name).toContain(name);
  });

  test.each(pages)('targets of links in %s', (page) => {
    for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page : join(dirname(page), file);
      expect(existsSync(join(productDir, path)), target).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(read(path)), target).toContain(anchor);
    }
  });
});

/** The anchors of the headings, as forges derive them. */
function anchorsOf(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
