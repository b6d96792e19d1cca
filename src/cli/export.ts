import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';
import {
  type ExportFormat,
  exportEndings,
  exportEntries,
  exportFormats,
  findExportFormat,
} from '../app/export-entries.js';
import { ConfigError, type LoadedConfig } from '../config/load-config.js';
import { ProgressLine } from './progress-line.js';

const shownProblems = 20;

/** Writes the whole logbook to a file. Exit code 2 when something could not be written. */
export async function exportCommand(
  { options, logLevel }: LoadedConfig,
  file: string,
  wanted: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  checkFile(file);
  const format = chooseFormat(file, wanted);
  const level = logLevel === 'info' ? 'warn' : logLevel;
  const log = pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
  const line = new ProgressLine();
  const problems: string[] = [];
  let entries = 0;
  const events = {
    onProgress: (exported: number, all: number) => {
      entries = all;
      line.show(`${exported} of ${all} entries`, all === 0 ? 1 : exported / all);
    },
    onProblem: (sentence: string) => problems.push(sentence),
  };
  try {
    await exportEntries(options, { file, format }, events, log, stop);
    line.end();
  } catch (error) {
    line.end();
    if (!stop.aborted || error !== stop.reason) throw error;
    process.exitCode = 1;
    console.error('The export was stopped; nothing was written.');
    return;
  }
  console.log(`${file} has ${entries} entries.`);
  for (const problem of problems.slice(0, shownProblems)) console.log(`  ${problem}`);
  if (problems.length > shownProblems) console.log(`  … ${problems.length} problems in all.`);
  if (problems.length > 0) process.exitCode = 2;
}

/** @throws ConfigError when the file cannot be written, before the logbook is read */
function checkFile(file: string): void {
  if (file === '' || file === '-') {
    throw new ConfigError(['FILE: the export is written to a file. Give its name, such as logbook.zip']);
  }
  if (existsSync(file) && statSync(file).isDirectory()) {
    throw new ConfigError([`FILE: ${file} is a directory. Give the name of a file, such as ${file}/logbook.zip`]);
  }
  const dir = dirname(file);
  if (!existsSync(dir)) throw new ConfigError([`FILE: the directory ${dir} does not exist. Create it first`]);
}

/** @throws ConfigError when neither the option nor the name of the file says a format */
function chooseFormat(file: string, wanted: string | undefined): ExportFormat {
  if (wanted === undefined) {
    const found = findExportFormat(file);
    if (found) return found;
    throw new ConfigError([
      `FILE: ${file} does not say a format. Use a name that ends with ${exportEndings.join(', ')}, or --format ${exportFormats.join('|')}`,
    ]);
  }
  const format = exportFormats.find((one) => one === wanted.toLowerCase());
  if (format) return format;
  throw new ConfigError([`--format: ${wanted} is not one of ${exportFormats.join(', ')}`]);
}
