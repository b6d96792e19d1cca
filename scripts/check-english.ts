import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productDir } from '../src/kernel/product.js';
import { findProblems } from './english/problems.js';
import { checkSubject } from './english/rules.js';
import {
  type Text,
  textsOfCatalogue,
  textsOfPage,
  textsOfProgram,
  textsOfScript,
  textsOfStyles,
} from './english/texts.js';

/** Prints comments, messages, pages and subjects of commits that are not plain English, each with what to write instead. */

/** Commit before the first one whose subject is checked. */
const checkedSince = '9c9261cd28a2';
const leftOut = /^(?:test\/(?:fixtures\/schemas|architecture\/planted)|web\/src\/api\/schema\.ts|package-lock\.json)/;

const git = (...args: string[]) => execFileSync('git', args, { cwd: productDir, encoding: 'utf8', maxBuffer: 1e8 });

function textsOf(file: string, source: string): Text[] {
  if (/\.(?:tsx?|m?js|cjs)$/.test(file))
    return textsOfProgram(source, /^(?:src|packages)\/.*(?<!\.test)\.ts$/.test(file));
  if (file.endsWith('.css')) return textsOfStyles(source);
  if (/\.(?:sh|sql|ya?ml|py)$|^\.ci\/run$/.test(file)) return textsOfScript(source);
  if (file.endsWith('.md')) return textsOfPage(source);
  if (/^web\/src\/i18n\/en\/.*\.json$/.test(file)) return textsOfCatalogue(source);
  return [];
}

let count = 0;
const report = (place: string, words: string, instead: string) => {
  count += 1;
  console.log(`${place}: “${words}”: ${instead}`);
};

for (const file of git('ls-files').split('\n')) {
  if (file === '' || leftOut.test(file)) continue;
  const texts = textsOf(file, readFileSync(join(productDir, file), 'utf8'));
  for (const text of texts)
    for (const { line, words, instead } of findProblems(text)) report(`${file}:${line}`, words, instead);
}
for (const line of git('log', '--no-merges', '--format=%h %s', `${checkedSince}..HEAD`).split('\n')) {
  const [, commit = '', subject = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
  if (commit !== '') for (const problem of checkSubject(subject)) report(`commit ${commit}`, subject, problem);
}
if (count > 0) {
  console.log(`${count} places are not plain English; scripts/english/rules.ts has the words.`);
  process.exitCode = 1;
}
