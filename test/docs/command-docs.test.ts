import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bashCompletion, manualPage, zshCompletion } from '../../scripts/command-docs.js';
import { createProgram } from '../../src/cli/command-line.js';
import { flagName, settingNames } from '../../src/config/settings.js';

const { signal } = new AbortController();
const program = await createProgram({ stop: signal, abandon: signal });
const commands = program.commands.map((command) => command.name());

test('the manual page and the completions have each command and each setting', () => {
  expect(commands.length).toBeGreaterThan(10);
  const page = manualPage().replaceAll('\\-', '-');
  for (const name of commands) expect(page).toContain(`\n.SS logbook ${name}`);
  for (const setting of settingNames) expect(page).toContain(`\n.B ${flagName(setting)} `);
  for (const text of [bashCompletion(), zshCompletion()]) {
    for (const word of [...commands, ...settingNames.map(flagName)]) expect(text).toContain(word);
  }
  // No line of a text is taken for a request, and nothing is undefined.
  expect(page).not.toMatch(/undefined|^[.](?!TH|SH|SS|TP|BI|BR|B |I )/m);
});

test('bash completes commands, their own options and settings', () => {
  const dir = mkdtempSync(join(tmpdir(), 'logbook-completion-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'logbook');
  writeFileSync(file, bashCompletion());
  const complete = (...words: string[]) => {
    const script = `. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _logbook; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script, 'bash', file, ...words], { encoding: 'utf8' }).trim();
  };
  expect(complete('logbook', 'rebuild')).toBe('rebuild-index');
  expect(complete('logbook', 'verify', '--repa')).toBe('--repair');
  expect(complete('logbook', 'verify', '--data-d')).toBe('--data-dir');
  expect(complete('logbook', 'copy', '--data-d')).toBe('');
});
