import { describe, expect, test } from 'vitest';
import { findProblems, findSqlNames } from '../../scripts/english/problems.js';
import { checkSubject, phrases } from '../../scripts/english/rules.js';
import {
  type Text,
  textsOfCatalogue,
  textsOfHelp,
  textsOfPage,
  textsOfProgram,
  textsOfScript,
  textsOfStyles,
} from '../../scripts/english/texts.js';

const found = (texts: readonly Text[]) => texts.flatMap(findProblems).map(({ line, words }) => `${line}: ${words}`);
const inProgram = (...lines: string[]) => found(textsOfProgram(lines.join('\n'), true));

describe('comments', () => {
  test.each([
    ['/** What the index contains. */', '1: What …'],
    ['/** Of each list. */', '1: Of …'],
    ['// So that no write is lost.', '1: So …'],
    ['f(); // Otherwise it would end.', '1: Otherwise …'],
    ['const a = "it\'s"; /** By id. */', '1: By …'],
    ['/**\n * Those of the files.\n */', '1: Those …'],
    ['{/* In the list. */}', '1: In …'],
    ['/**\n * Reads it. The search index is\n * built again.\n */', '2: built again'],
    ['/** Nothing stands still. */', '1: stands still'],
    ['const quote = /[\'"]/; // The node is away.', '1: is away'],
  ])('%j is refused', (source, problem) => expect(inProgram(source)).toEqual([problem]));

  test.each([
    '/** Returns the index. */',
    '/** Whether it was built; what is missing is read later. */',
    '/** Inside a quotation, “What is away” is text of a user. */',
    '/** Calls `By.id`, which goes through all. */',
    '// biome-ignore lint/style/noDefaultExport: VitePress reads it.',
    '/** The first line.\n * In the second line, a sentence goes its way.\n */',
    `const url = \`https://example.org/\${path}\`; // Returns it.`,
    "const code = 'What it says';",
    'const pattern = /What is away/;',
  ])('%j is accepted', (source) => expect(inProgram(source)).toEqual([]));
});

test('messages of the program are checked, also in templates; statements of SQL and names are not', () => {
  expect(inProgram('log.warn("the storage is away; waiting")')).toEqual(['1: is away']);
  expect(inProgram('x(', `\`The file \${of("a")} was put back, and \${n} more.\`)`)).toEqual(['2: was put back']);
  expect(inProgram("const name = 'meanwhile';", "run('SELECT meanwhile FROM there AS one');")).toEqual([]);
  expect(inProgram('run(`', '  -- What a row has.', '  CREATE TABLE row (id INTEGER)`);')).toEqual(['2: What …']);
  expect(found(textsOfProgram("log.warn('the storage is away; waiting')", false))).toEqual([]);
});

test('styles, scripts, pages and texts of the client are checked, each with the number of its line', () => {
  expect(found(textsOfStyles('a {}\n/* For eyes. */'))).toEqual(['2: For …']);
  expect(found(textsOfScript('#!/bin/sh\n# Without it, nothing starts.\nrun # fine'))).toEqual(['2: Without …']);
  expect(found(textsOfScript('-- What a row has.'))).toEqual(['1: What …']);
  expect(found(textsOfCatalogue('{\n  "a": "It goes on by itself."\n}'))).toEqual(['2: goes on', '2: by itself']);
  const page = [
    '# What is there',
    '',
    'The node',
    'is away.',
    '',
    '```sh',
    'is away',
    '```',
    '[x](is-away.md) `is away`',
  ];
  expect(found(textsOfPage(page.join('\n')))).toEqual(['1: What …', '4: is away']);
});

test('help pages are checked without their tags and code', () => {
  expect(found(textsOfHelp('<h1>Find</h1>\n<p>It goes <b>on</b>.</p><code>is away</code>\nIt stands still.'))).toEqual([
    '2: goes on',
    '3: stands still',
  ]);
});

test('names in SQL follow the glossary, unless earlier versions have stored them', () => {
  expect(findSqlNames('CREATE TABLE follower (a);\nCREATE TABLE lost_letters (a);')).toEqual([
    { line: 2, words: 'lost_letters', instead: 'deliveries for letters' },
  ]);
  expect(findSqlNames('ALTER TABLE entry ADD COLUMN unread INTEGER')).toHaveLength(1);
});

test('each phrase matches a text, and has words to write instead', () => {
  for (const { find, instead } of phrases) expect([find.source, instead]).not.toContain('');
});

describe('subjects of commits', () => {
  test.each([
    ['Added a check of comments', /Added/],
    ['Adds a check of comments', /Adds/],
    ['Adding a check of comments', /Adding/],
    ['add a check of comments', /capital/],
    ['Add a check of comments.', /full stop/],
    [`Add ${'very '.repeat(14)}long names`, /84 characters/],
    ['What the index contains', /What/],
  ])('%j is refused', (subject, problem) => expect(checkSubject(subject).join()).toMatch(problem));

  test.each(['Address a race', 'Pass the signal on', 'Bring images', 'Embed the font', 'Read empty names'])(
    '%j is accepted',
    (subject) => expect(checkSubject(subject)).toEqual([]),
  );
});
