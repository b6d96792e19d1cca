import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from '../kernel/command-hint.js';
import { productDir } from '../kernel/product.js';

/** Whether the program runs where nothing is installed, in a checkout or by npx: people try it out there. */
export function runsAsTrial(): boolean {
  if (isInstalled()) return false;
  return existsSync(join(productDir, 'src', 'main.ts')) || process.env.npm_lifecycle_event === 'npx';
}

const programOptions = new Set(['-h', '--help', '-V', '--version']);

/**
 * Returns the arguments with the command that they leave out: options alone are those of `serve`. Without arguments, the
 * program prints its help, and where people try it out starts the trial.
 */
export function withCommand(args: readonly string[]): readonly string[] {
  const [first] = args;
  if (first === undefined) return runsAsTrial() ? ['serve'] : ['--help'];
  return first.startsWith('-') && !programOptions.has(first) ? ['serve', ...args] : args;
}
