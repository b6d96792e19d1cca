#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// Of what is allocated while the program loads, nearly all stays: a young generation that does not grow meanwhile
// saves some 30 MB for as long as the process lives. The start of the service lifts this again.
setFlagsFromString('--semi-space-growth-factor=1');

const { runCommandLine } = await import('./cli/command-line.js');
const { reportStartError } = await import('./cli/report-start-error.js');

try {
  await runCommandLine(process.argv.slice(2));
} catch (error) {
  reportStartError(error);
}
