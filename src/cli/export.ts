import { pino } from 'pino';
import { type ExportFormat, exportEntries, exportFormats } from '../app/export-entries.js';
import { ConfigError, type LoadedConfig } from '../config/load-config.js';
import { ProgressLine } from './progress-line.js';

const shownProblems = 20;

/** Writes the whole logbook to a file. Exit code 2 when something could not be written. */
export async function exportCommand(
  { options, logLevel }: LoadedConfig,
  file: string,
  format: string,
  stop: AbortSignal,
): Promise<void> {
  if (!exportFormats.includes(format as ExportFormat)) {
    throw new ConfigError([`--format: ${format} is not one of ${exportFormats.join(', ')}`]);
  }
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
    await exportEntries(options.storage, { file, format: format as ExportFormat }, events, log, stop);
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
