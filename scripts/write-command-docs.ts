// Writes the manual page and the completions of shells into dist/share/, for the packages.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bashCompletion, manualPage, zshCompletion } from './command-docs.js';

const files = {
  'man/man1/logbook.1': manualPage(),
  'bash-completion/logbook': bashCompletion(),
  'zsh/_logbook': zshCompletion(),
};
for (const [name, content] of Object.entries(files)) {
  const file = join('dist', 'share', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
